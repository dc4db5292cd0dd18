PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE entries (
        number INTEGER PRIMARY KEY,
        table_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        entry TEXT NOT NULL,
        UNIQUE (table_id, revision)
    );
INSERT INTO "entries" VALUES(1,'ku_ka_king',0,'2026-11-21T15:40:43+00:00','created','{"entry":"created","title":"ku_ka_king","host":"anna","game":"ku_ka_king","options":{},"seats":3}');
INSERT INTO "entries" VALUES(2,'ku_ka_king',1,'2026-11-21T15:40:43+00:00','seated','{"entry":"seated","seats":[{"name":"Anna","owner":"anna"},{"name":"Bert","owner":"bert"},{"name":"Cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(3,'ku_ka_king',2,'2026-11-21T15:40:43+00:00','started','{"entry":"started","seed":"3d31e494c75f75354f97a6099d810bf5477757e5051f50565215a027dcd4ea62","rules_version":"1-dc1adca5","seats":[{"name":"Anna","owner":"anna"},{"name":"Bert","owner":"bert"},{"name":"Cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(4,'ku_ka_king',3,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 call 1"}');
INSERT INTO "entries" VALUES(5,'ku_ka_king',4,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 call 7"}');
INSERT INTO "entries" VALUES(6,'ku_ka_king',5,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(7,'ku_ka_king',6,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 call 6"}');
INSERT INTO "entries" VALUES(8,'ku_ka_king',7,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(9,'ku_ka_king',8,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 call 4"}');
INSERT INTO "entries" VALUES(10,'ku_ka_king',9,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 call 3"}');
INSERT INTO "entries" VALUES(11,'ku_ka_king',10,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(12,'ku_ka_king',11,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 call 5"}');
INSERT INTO "entries" VALUES(13,'ku_ka_king',12,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 call 4"}');
INSERT INTO "entries" VALUES(14,'ku_ka_king',13,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 call 3"}');
INSERT INTO "entries" VALUES(15,'ku_ka_king',14,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 call 6"}');
INSERT INTO "entries" VALUES(16,'ku_ka_king',15,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 call 3"}');
INSERT INTO "entries" VALUES(17,'ku_ka_king',16,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(18,'land_cards',0,'2026-11-21T15:40:43+00:00','created','{"entry":"created","title":"land_cards","host":"anna","game":"land_cards","options":{"take":"one_by_one"},"seats":3}');
INSERT INTO "entries" VALUES(19,'land_cards',1,'2026-11-21T15:40:43+00:00','seated','{"entry":"seated","seats":[{"name":"Anna","owner":"anna"},{"name":"Bert","owner":"bert"},{"name":"Cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(20,'land_cards',2,'2026-11-21T15:40:43+00:00','started','{"entry":"started","seed":"1242a6207ca763834cdcf9061de3a9999c49457507025115662b494cd5135e04","rules_version":"1-70c0dcb0","seats":[{"name":"Anna","owner":"anna"},{"name":"Bert","owner":"bert"},{"name":"Cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(21,'land_cards',3,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 take 2 14"}');
INSERT INTO "entries" VALUES(22,'land_cards',4,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 take 1 14"}');
INSERT INTO "entries" VALUES(23,'land_cards',5,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(24,'land_cards',6,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 place 4 1"}');
INSERT INTO "entries" VALUES(25,'land_cards',7,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 take 3 1"}');
INSERT INTO "entries" VALUES(26,'land_cards',8,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(27,'land_cards',9,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 place 4 12"}');
INSERT INTO "entries" VALUES(28,'land_cards',10,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 take 1 13"}');
INSERT INTO "entries" VALUES(29,'land_cards',11,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(30,'land_cards',12,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 place 3 14"}');
INSERT INTO "entries" VALUES(31,'land_cards',13,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 take 4 1"}');
INSERT INTO "entries" VALUES(32,'land_cards',14,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(33,'land_cards',15,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 place 2 12"}');
INSERT INTO "entries" VALUES(34,'land_cards',16,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 take 1 12"}');
INSERT INTO "entries" VALUES(35,'web_of_power',0,'2026-11-21T15:40:43+00:00','created','{"entry":"created","title":"web_of_power","host":"anna","game":"web_of_power","options":{"interim_scoring":"immediate"},"seats":3}');
INSERT INTO "entries" VALUES(36,'web_of_power',1,'2026-11-21T15:40:43+00:00','seated','{"entry":"seated","seats":[{"name":"Anna","owner":"anna"},{"name":"Bert","owner":"bert"},{"name":"Cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(37,'web_of_power',2,'2026-11-21T15:40:43+00:00','started','{"entry":"started","seed":"a10ce27b5494979a30bc102d7d56c75ef6c4bc5777d364608563a53e1c7f4f03","rules_version":"1-cb2e8e8f","seats":[{"name":"Anna","owner":"anna"},{"name":"Bert","owner":"bert"},{"name":"Cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(38,'web_of_power',3,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 cloister FK2 Franken/Aragon"}');
INSERT INTO "entries" VALUES(39,'web_of_power',4,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(40,'web_of_power',5,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 draw pile"}');
INSERT INTO "entries" VALUES(41,'web_of_power',6,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 cloister AR4 Franken/Aragon"}');
INSERT INTO "entries" VALUES(42,'web_of_power',7,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(43,'web_of_power',8,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"1 draw Bayern/Burgund"}');
INSERT INTO "entries" VALUES(44,'web_of_power',9,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 cloister FK7 Franken/Aragon"}');
INSERT INTO "entries" VALUES(45,'web_of_power',10,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 cloister FK3 Lothringen/Italien+Lothringen/Italien"}');
INSERT INTO "entries" VALUES(46,'web_of_power',11,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(47,'web_of_power',12,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 draw pile"}');
INSERT INTO "entries" VALUES(48,'web_of_power',13,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 draw Franken/Aragon"}');
INSERT INTO "entries" VALUES(49,'web_of_power',14,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"2 draw Franken/Aragon"}');
INSERT INTO "entries" VALUES(50,'web_of_power',15,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 cloister BA1 Bayern/Burgund"}');
INSERT INTO "entries" VALUES(51,'web_of_power',16,'2026-11-21T15:40:43+00:00','moved','{"entry":"moved","line":"0 end"}');
CREATE INDEX closed ON entries (table_id) WHERE kind = 'closed';
COMMIT;
