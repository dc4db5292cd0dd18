"""What guests fetch by `sftp` and `scp`: folder.py says what there is, sftp.py speaks the protocol."""
