PRAGMA user_version = 8;
BEGIN TRANSACTION;
CREATE TABLE account_keys (
        fingerprint TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        claims TEXT UNIQUE,
        at INTEGER NOT NULL
    );
CREATE TABLE account_settings (account TEXT PRIMARY KEY, settings TEXT NOT NULL);
CREATE TABLE archive (
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        rules TEXT,
        drawing TEXT,
        entries BLOB NOT NULL,
        PRIMARY KEY (table_id, match)
    );
CREATE TABLE clocks (table_id TEXT PRIMARY KEY, clock TEXT NOT NULL);
CREATE TABLE entries (
        number INTEGER PRIMARY KEY,
        table_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        entry TEXT NOT NULL,
        UNIQUE (table_id, revision)
    );
INSERT INTO "entries" VALUES(1,'ku_ka_king',0,'2026-11-23T23:01:40+00:00','created','{"entry":"created","title":"ku_ka_king","host":"anna","game":"ku_ka_king","options":{},"seats":3}');
INSERT INTO "entries" VALUES(2,'ku_ka_king',1,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{},{}]}');
INSERT INTO "entries" VALUES(3,'ku_ka_king',2,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{}]}');
INSERT INTO "entries" VALUES(4,'ku_ka_king',3,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(5,'ku_ka_king',4,'2026-11-23T23:01:40+00:00','started','{"entry":"started","seed":"c6c7f1f84e37a4d7042640abe7e4b0f0d59e3dd47ad70b9ef79e80ab5286438f","rules_version":"1-6ae3f202","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}],"rules":"6ae3f202ba78be8082a4110a71d7d1473813496968c6d461aa1f4b0e812bfa35"}');
INSERT INTO "entries" VALUES(6,'ku_ka_king',5,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 3"}');
INSERT INTO "entries" VALUES(7,'ku_ka_king',6,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 7"}');
INSERT INTO "entries" VALUES(8,'ku_ka_king',7,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(9,'ku_ka_king',8,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 2"}');
INSERT INTO "entries" VALUES(10,'ku_ka_king',9,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(11,'ku_ka_king',10,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 4"}');
INSERT INTO "entries" VALUES(12,'ku_ka_king',11,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 1"}');
INSERT INTO "entries" VALUES(13,'ku_ka_king',12,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 3"}');
INSERT INTO "entries" VALUES(14,'ku_ka_king',13,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(15,'ku_ka_king',14,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 2"}');
INSERT INTO "entries" VALUES(16,'ku_ka_king',15,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 2"}');
INSERT INTO "entries" VALUES(17,'ku_ka_king',16,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 2"}');
INSERT INTO "entries" VALUES(18,'ku_ka_king',17,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 2"}');
INSERT INTO "entries" VALUES(19,'ku_ka_king',18,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 7"}');
INSERT INTO "entries" VALUES(20,'ku_ka_king',19,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(21,'ku_ka_king',20,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 5"}');
INSERT INTO "entries" VALUES(22,'ku_ka_king',21,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 2"}');
INSERT INTO "entries" VALUES(23,'ku_ka_king',22,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 4"}');
INSERT INTO "entries" VALUES(24,'ku_ka_king',23,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(25,'ku_ka_king',24,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 2"}');
INSERT INTO "entries" VALUES(26,'ku_ka_king',25,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(27,'ku_ka_king',26,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 6"}');
INSERT INTO "entries" VALUES(28,'ku_ka_king',27,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(29,'ku_ka_king',28,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 4"}');
INSERT INTO "entries" VALUES(30,'ku_ka_king',29,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 4"}');
INSERT INTO "entries" VALUES(31,'ku_ka_king',30,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(32,'ku_ka_king',31,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(33,'ku_ka_king',32,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 7"}');
INSERT INTO "entries" VALUES(34,'ku_ka_king',33,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 7"}');
INSERT INTO "entries" VALUES(35,'ku_ka_king',34,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(36,'ku_ka_king',35,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 4"}');
INSERT INTO "entries" VALUES(37,'ku_ka_king',36,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(38,'ku_ka_king',37,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 1"}');
INSERT INTO "entries" VALUES(39,'ku_ka_king',38,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 3"}');
INSERT INTO "entries" VALUES(40,'ku_ka_king',39,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 7"}');
INSERT INTO "entries" VALUES(41,'ku_ka_king',40,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 6"}');
INSERT INTO "entries" VALUES(42,'ku_ka_king',41,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 7"}');
INSERT INTO "entries" VALUES(43,'ku_ka_king',42,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(44,'ku_ka_king',43,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 2"}');
INSERT INTO "entries" VALUES(45,'ku_ka_king',44,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(46,'ku_ka_king',45,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 3"}');
INSERT INTO "entries" VALUES(47,'ku_ka_king',46,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(48,'ku_ka_king',47,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 3"}');
INSERT INTO "entries" VALUES(49,'ku_ka_king',48,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 2"}');
INSERT INTO "entries" VALUES(50,'ku_ka_king',49,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 2"}');
INSERT INTO "entries" VALUES(51,'ku_ka_king',50,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 4"}');
INSERT INTO "entries" VALUES(52,'ku_ka_king',51,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(53,'ku_ka_king',52,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 1"}');
INSERT INTO "entries" VALUES(54,'ku_ka_king',53,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(55,'ku_ka_king',54,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 4"}');
INSERT INTO "entries" VALUES(56,'ku_ka_king',55,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 1"}');
INSERT INTO "entries" VALUES(57,'ku_ka_king',56,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 1"}');
INSERT INTO "entries" VALUES(58,'ku_ka_king',57,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 7"}');
INSERT INTO "entries" VALUES(59,'ku_ka_king',58,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(60,'ku_ka_king',59,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 6"}');
INSERT INTO "entries" VALUES(61,'ku_ka_king',60,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 1"}');
INSERT INTO "entries" VALUES(62,'ku_ka_king',61,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 2"}');
INSERT INTO "entries" VALUES(63,'ku_ka_king',62,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(64,'ku_ka_king',63,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 4"}');
INSERT INTO "entries" VALUES(65,'ku_ka_king',64,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 5"}');
INSERT INTO "entries" VALUES(66,'ku_ka_king',65,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 call 6"}');
INSERT INTO "entries" VALUES(67,'ku_ka_king',66,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 call 3"}');
INSERT INTO "entries" VALUES(68,'ku_ka_king',67,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(69,'ku_ka_king',68,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 call 1"}');
INSERT INTO "entries" VALUES(70,'ku_ka_king',69,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(71,'land_cards',0,'2026-11-23T23:01:40+00:00','created','{"entry":"created","title":"land_cards","host":"anna","game":"land_cards","options":{"take":"one_by_one"},"seats":3}');
INSERT INTO "entries" VALUES(72,'land_cards',1,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{},{}]}');
INSERT INTO "entries" VALUES(73,'land_cards',2,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{}]}');
INSERT INTO "entries" VALUES(74,'land_cards',3,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(75,'land_cards',4,'2026-11-23T23:01:40+00:00','started','{"entry":"started","seed":"2ad41e87938cb0b6edb122d22b79e520f3ec6df8ecf5cce6f2c0732c27acae26","rules_version":"1-ad1654ff","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}],"rules":"ad1654fffbab31f183a9f721f825c0517359be5f08174039c8a72c548d72be73"}');
INSERT INTO "entries" VALUES(76,'land_cards',5,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 3 14"}');
INSERT INTO "entries" VALUES(77,'land_cards',6,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(78,'land_cards',7,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 place 3 13"}');
INSERT INTO "entries" VALUES(79,'land_cards',8,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 1 14"}');
INSERT INTO "entries" VALUES(80,'land_cards',9,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(81,'land_cards',10,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 1 14"}');
INSERT INTO "entries" VALUES(82,'land_cards',11,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(83,'land_cards',12,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(84,'land_cards',13,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(85,'land_cards',14,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 2 1"}');
INSERT INTO "entries" VALUES(86,'land_cards',15,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(87,'land_cards',16,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 place 1 8"}');
INSERT INTO "entries" VALUES(88,'land_cards',17,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 take 2 14"}');
INSERT INTO "entries" VALUES(89,'land_cards',18,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(90,'land_cards',19,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(91,'land_cards',20,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(92,'land_cards',21,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 place 2 12"}');
INSERT INTO "entries" VALUES(93,'land_cards',22,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 4 1"}');
INSERT INTO "entries" VALUES(94,'land_cards',23,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(95,'land_cards',24,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 3 13"}');
INSERT INTO "entries" VALUES(96,'land_cards',25,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(97,'land_cards',26,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 3 13"}');
INSERT INTO "entries" VALUES(98,'land_cards',27,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(99,'land_cards',28,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 4 14"}');
INSERT INTO "entries" VALUES(100,'land_cards',29,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(101,'land_cards',30,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(102,'land_cards',31,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(103,'land_cards',32,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 1 1"}');
INSERT INTO "entries" VALUES(104,'land_cards',33,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(105,'land_cards',34,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(106,'land_cards',35,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(107,'land_cards',36,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 place 3 5"}');
INSERT INTO "entries" VALUES(108,'land_cards',37,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 2 13"}');
INSERT INTO "entries" VALUES(109,'land_cards',38,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(110,'land_cards',39,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 3 13"}');
INSERT INTO "entries" VALUES(111,'land_cards',40,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 give 1 8"}');
INSERT INTO "entries" VALUES(112,'land_cards',41,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(113,'land_cards',42,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 give 1 8"}');
INSERT INTO "entries" VALUES(114,'land_cards',43,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(115,'land_cards',44,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 give supply"}');
INSERT INTO "entries" VALUES(116,'land_cards',45,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(117,'land_cards',46,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 give 1 8"}');
INSERT INTO "entries" VALUES(118,'land_cards',47,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(119,'land_cards',48,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 give 1 8"}');
INSERT INTO "entries" VALUES(120,'land_cards',49,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 1 2"}');
INSERT INTO "entries" VALUES(121,'land_cards',50,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 1 14"}');
INSERT INTO "entries" VALUES(122,'land_cards',51,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(123,'land_cards',52,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 place 4 4"}');
INSERT INTO "entries" VALUES(124,'land_cards',53,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 take 1 3"}');
INSERT INTO "entries" VALUES(125,'land_cards',54,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(126,'land_cards',55,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 take 4 14"}');
INSERT INTO "entries" VALUES(127,'land_cards',56,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(128,'land_cards',57,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"2 place 3 10"}');
INSERT INTO "entries" VALUES(129,'land_cards',58,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 take 2 2"}');
INSERT INTO "entries" VALUES(130,'land_cards',59,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(131,'land_cards',60,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(132,'land_cards',61,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(133,'land_cards',62,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 place 1 11"}');
INSERT INTO "entries" VALUES(134,'land_cards',63,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 4 13"}');
INSERT INTO "entries" VALUES(135,'land_cards',64,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(136,'land_cards',65,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 4 1"}');
INSERT INTO "entries" VALUES(137,'land_cards',66,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(138,'land_cards',67,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"1 take 1 3"}');
INSERT INTO "entries" VALUES(139,'land_cards',68,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(140,'web_of_power',0,'2026-11-23T23:01:40+00:00','created','{"entry":"created","title":"web_of_power","host":"anna","game":"web_of_power","options":{"interim_scoring":"immediate"},"seats":3}');
INSERT INTO "entries" VALUES(141,'web_of_power',1,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{},{}]}');
INSERT INTO "entries" VALUES(142,'web_of_power',2,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{}]}');
INSERT INTO "entries" VALUES(143,'web_of_power',3,'2026-11-23T23:01:40+00:00','seated','{"entry":"seated","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}]}');
INSERT INTO "entries" VALUES(144,'web_of_power',4,'2026-11-23T23:01:40+00:00','started','{"entry":"started","seed":"e34ccac041507abb7a9abe8ee9b29ff2f9074bc2e53b044e20808527e9eb947a","rules_version":"2-ca79991c","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}],"rules":"ca79991c880ed0cbc048b2910c95250178dc8cdda0588639f64fa9185c38b381","drawing":"3c685a59daba4944af66884fe2d183aad3829dcb18b916e12c1f6d7b0e60fcd6"}');
INSERT INTO "entries" VALUES(145,'web_of_power',5,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 cloister IT2 Lothringen/Italien+Lothringen/Italien"}');
INSERT INTO "entries" VALUES(146,'web_of_power',6,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(147,'web_of_power',7,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(148,'web_of_power',8,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(149,'web_of_power',9,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 cloister FK3 Lothringen/Italien+Lothringen/Italien"}');
INSERT INTO "entries" VALUES(150,'web_of_power',10,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(151,'web_of_power',11,'2026-11-23T23:01:40+00:00','moved','{"entry":"moved","line":"0 exchange Lothringen/Italien"}');
INSERT INTO "entries" VALUES(152,'web_of_power',12,'2026-11-23T23:01:40+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(153,'web_of_power',13,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 cloister BU2 Bayern/Burgund"}');
INSERT INTO "entries" VALUES(154,'web_of_power',14,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(155,'web_of_power',15,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 cloister BA1 Bayern/Burgund"}');
INSERT INTO "entries" VALUES(156,'web_of_power',16,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(157,'web_of_power',17,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 cloister EN3 Lothringen/Italien+Lothringen/Italien"}');
INSERT INTO "entries" VALUES(158,'web_of_power',18,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(159,'web_of_power',19,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 draw Bayern/Burgund"}');
INSERT INTO "entries" VALUES(160,'web_of_power',20,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":0}');
INSERT INTO "entries" VALUES(161,'web_of_power',21,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 draw pile"}');
INSERT INTO "entries" VALUES(162,'web_of_power',22,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 draw Lothringen/Italien"}');
INSERT INTO "entries" VALUES(163,'web_of_power',23,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister FR2 Bayern/Burgund+Bayern/Burgund"}');
INSERT INTO "entries" VALUES(164,'web_of_power',24,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(165,'web_of_power',25,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister SW4 Bayern/Burgund+Bayern/Burgund"}');
INSERT INTO "entries" VALUES(166,'web_of_power',26,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(167,'web_of_power',27,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister FR2 Bayern/Burgund+Bayern/Burgund"}');
INSERT INTO "entries" VALUES(168,'web_of_power',28,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(169,'web_of_power',29,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister BA2 Bayern/Burgund"}');
INSERT INTO "entries" VALUES(170,'web_of_power',30,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(171,'web_of_power',31,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister EN2 Bayern/Burgund+Bayern/Burgund"}');
INSERT INTO "entries" VALUES(172,'web_of_power',32,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(173,'web_of_power',33,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 draw Bayern/Burgund"}');
INSERT INTO "entries" VALUES(174,'web_of_power',34,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 draw Bayern/Burgund"}');
INSERT INTO "entries" VALUES(175,'web_of_power',35,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 cloister AR3 Franken/Aragon+Franken/Aragon"}');
INSERT INTO "entries" VALUES(176,'web_of_power',36,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(177,'web_of_power',37,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 draw Frankreich"}');
INSERT INTO "entries" VALUES(178,'web_of_power',38,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(179,'web_of_power',39,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(180,'web_of_power',40,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(181,'web_of_power',41,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(182,'web_of_power',42,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(183,'web_of_power',43,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 cloister AR1 Franken/Aragon+Franken/Aragon"}');
INSERT INTO "entries" VALUES(184,'web_of_power',44,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(185,'web_of_power',45,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 draw England/Schwaben"}');
INSERT INTO "entries" VALUES(186,'web_of_power',46,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(187,'web_of_power',47,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 draw Frankreich"}');
INSERT INTO "entries" VALUES(188,'web_of_power',48,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(189,'web_of_power',49,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(190,'web_of_power',50,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(191,'web_of_power',51,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(192,'web_of_power',52,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(193,'web_of_power',53,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 cloister LO5 Franken/Aragon+Franken/Aragon"}');
INSERT INTO "entries" VALUES(194,'web_of_power',54,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(195,'web_of_power',55,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":2}');
INSERT INTO "entries" VALUES(196,'web_of_power',56,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 end"}');
INSERT INTO "entries" VALUES(197,'web_of_power',57,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 draw Frankreich"}');
INSERT INTO "entries" VALUES(198,'web_of_power',58,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"2 draw pile"}');
INSERT INTO "entries" VALUES(199,'web_of_power',59,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 cloister BA4 Bayern/Burgund"}');
INSERT INTO "entries" VALUES(200,'web_of_power',60,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 end"}');
INSERT INTO "entries" VALUES(201,'web_of_power',61,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"0 draw England/Schwaben"}');
INSERT INTO "entries" VALUES(202,'web_of_power',62,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister AR5 Bayern/Burgund+Bayern/Burgund"}');
INSERT INTO "entries" VALUES(203,'web_of_power',63,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 end"}');
INSERT INTO "entries" VALUES(204,'web_of_power',64,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(205,'web_of_power',65,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
INSERT INTO "entries" VALUES(206,'web_of_power',66,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister BA1 Bayern/Burgund+Bayern/Burgund"}');
INSERT INTO "entries" VALUES(207,'web_of_power',67,'2026-11-23T23:01:41+00:00','moved','{"entry":"moved","line":"1 cloister BA2 Bayern/Burgund"}');
INSERT INTO "entries" VALUES(208,'web_of_power',68,'2026-11-23T23:01:41+00:00','undone','{"entry":"undone","seat":1}');
CREATE TABLE ratings (
        number INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        account TEXT NOT NULL,
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        at INTEGER NOT NULL,
        mean REAL NOT NULL,
        deviation REAL NOT NULL,
        played INTEGER NOT NULL,
        won REAL NOT NULL,
        UNIQUE (table_id, match, account)
    );
CREATE TABLE results (
        owner TEXT NOT NULL,
        table_id TEXT NOT NULL,
        match INTEGER NOT NULL,
        at INTEGER NOT NULL,
        result TEXT NOT NULL,
        PRIMARY KEY (owner, table_id, match)
    );
CREATE TABLE rules (digest TEXT PRIMARY KEY, data TEXT NOT NULL, at INTEGER NOT NULL DEFAULT 0);
INSERT INTO "rules" VALUES('6ae3f202ba78be8082a4110a71d7d1473813496968c6d461aa1f4b0e812bfa35','{"cards":[{"count":5,"kept":true,"type":"sheep"},{"count":5,"kept":true,"type":"horse"},{"count":5,"kept":true,"type":"pig"},{"count":5,"kept":true,"type":"cow"},{"count":5,"kept":true,"type":"chicken"},{"count":5,"kept":true,"type":"goose"},{"count":5,"kept":true,"type":"goat"},{"count":5,"kept":true,"type":"rabbit"},{"count":12,"kept":true,"type":"king"},{"count":14,"kept":true,"type":"knight"},{"count":10,"kept":false,"type":"church"},{"count":4,"kept":false,"type":"points2"},{"count":4,"kept":false,"type":"points3"},{"count":4,"kept":false,"type":"points4"},{"count":9,"kept":false,"type":"farmer"},{"count":9,"kept":false,"type":"farmers_wife"},{"count":6,"kept":false,"type":"farmhouse"}],"points":{"animals":[0,1,3,6,10,15],"churches":10,"kings":[0,0,1,4,9,16,25,36],"knight":1,"most_knights":2,"pair":7,"trio":14,"victory":[2,3,4]},"tables":[{"cards":80,"rows":6,"seats":2},{"cards":102,"rows":7,"seats":3},{"cards":112,"rows":8,"seats":4}]}',1795474900);
INSERT INTO "rules" VALUES('ad1654fffbab31f183a9f721f825c0517359be5f08174039c8a72c548d72be73','{"cards":{"Bayern":["LL","LA","A+k","L+k","A","-+k"],"Dänemark":["KL","L+s","L+s","K"],"England":["LL","L+s","F+s","F","-+s"],"Franken":["AA","AF","FT","A+k","F+k","T","-+k"],"Frankreich":["KK","KF","FF","K+s","K+k","F+s","L","-+s"],"Italien":["KK","KA","A+s","F+k","A","-+s"],"Kastilien":["TT","TK","KL","T+s","K+s","L","-+s"],"Sachsen":["LL","LA","AK","L+s","A+k","K","-+s"],"Ungarn":["KK","AA","K+k","A+k","T","-+k"]},"laws":{"different_colours":2,"minus_two":2,"take_back_stone":2,"three_symbols":2},"layout":{"law_positions":[[1,2],[1,13],[2,3],[2,12],[3,4],[3,11],[4,5],[4,10]]}}',1795474900);
INSERT INTO "rules" VALUES('3c685a59daba4944af66884fe2d183aad3829dcb18b916e12c1f6d7b0e60fcd6','[[[[0,0],56,19,["3.10a20.3b5.7:8.","2.13a18.4b5.5:9.","3.13a16.6b3.7b2.6:","1.16a7.7g19b6:","2.13a7.10g19b5:","11a6.3f12g19b5:","3a12.4f12g18b3c4:","6.2f3.10f10g13b10c2:","2.21f7g13h13c","3.18f3i5g14h13c","7.13f9i14h13c","8.11f10i13h13c1:","7.12f11i3h9d1.10c3:","7.12f10i13d3.11:","1.7e10f10i3d1.11d4.9:","13e4f3.9i6.10d4.7:","19e4.4i4.2:4.11d4.4:","17e14.2:7.11d2.3:","1.13e17.2:9.3:3d1.3d4."],[[7,0],[14,2],[4,3],[14,4],[9,5],[2,5],[34,5],[35,2],[46,3],[38,5],[34,7],[40,7],[47,6],[47,8],[45,10],[51,9],[49,11],[46,12],[54,10],[34,13],[30,14],[41,13],[43,15],[38,15],[46,17],[2,15],[6,15],[10,15],[11,17],[16,16],[7,18],[18,5],[12,7],[17,8],[8,9],[22,8],[17,10],[9,12],[16,13],[27,3],[23,5],[30,5],[26,7],[28,8],[32,9],[38,9],[42,10],[34,11],[26,10],[21,11],[28,11],[24,12],[20,13],[28,13]],[null,null,null,[41,14],null,null,null,[37,10],[24,15]],[null,null,[50,12],[38,12],null,null,[26,4],[36,8],[24,14]],[null,null,null,null,null,null,null,null,null,null,null,null,null,null,null],[]],[[76,33],144,55,["11.9a52.15:18.30:9.","9.9a89.27:10.","8.19a66.6:11.23:11.","8.17a59.17:11.20:12.","10.12a61.15:12.2:2.10:20.","12.16a55.13:7.9:2.8:22.","4:8.17a56.9:12.3:35.","6:13.12a56.8b40.7:2.","8:11.15a54.14b7.10b9.16:","7:14.15a49.37b22:","6:15.17a36.2g1.46b21:","5:9.24a25.14g46b21:","5:10.29a17.16g47b20:","5:10.30a14.19g46b20:","2:10.31a14.21g46b20:","15.27a13.22g48b19:","20.23a9.25g48b19:","14.26a6.4f26g49b19:","12.11a22.7f24g45b8c15:","10.4a30.9f24g38b18c11:","40.15f23g32b25c9:","28.3f6.19f23g29b29c7:","29.28f23g12b2h13b31c6:","30.28f23g25h34c4:","21.4f5.29f22g26h32c5:","18.42f20g27h31c6:","19.42f18g27h32c6:","20.41f6i12g27h31c7:","25.34f19i28h30c8:","28.29f21i28h29c9:","30.25f23i27h28c11:","31.24f22i15h27d1c24:","32.23f22i43d24:","32.22f22i40d2.2d24:","32.22f21i37d6.1d25:","32.21f22i37d11.21:","31.22f23i36d13.19:","31.21f25i5d13.18d14.17:","30.22f26i19.19d14.14:","6.24e22f3i8.12i23.21d14.11:","4.29e18f1i48.20d16.8:","4.44e4f37.3:11.18d19.4:","5.47e35.5:15.18d18.1:","5.44e40.2:21.19d13.","5.38e47.1:25.19d9.","5.34e45.9:29.17d5.","5.33e46.10:31.10d4.2d3.","4.32e14.2:33.8:37.4d10.","4.31e14.2:34.8:38.4d9.","3.33e95.4d9.","5.29e96.2d12.","5.29e78.16:16.","5.25e63.3:21.10:17.","12.16e54.21:22.1:18.","13.4e63.21:43."],[[19,2],[30,8],[17,12],[39,14],[28,16],[15,18],[82,15],[90,9],[117,11],[93,15],[86,20],[101,19],[116,17],[116,22],[111,26],[130,22],[118,28],[108,30],[133,27],[88,33],[82,36],[101,34],[112,38],[110,41],[132,45],[9,41],[20,42],[30,41],[28,46],[43,43],[24,51],[47,19],[33,23],[45,24],[31,29],[54,24],[47,30],[34,36],[47,37],[66,12],[56,17],[73,16],[63,22],[72,25],[82,25],[93,24],[104,28],[83,30],[66,29],[57,31],[75,30],[64,34],[56,37],[73,36]],[[26,11],[103,13],[121,25],[102,37],[16,46],[38,26],[66,20],[92,28],[70,33]],[[30,10],[104,11],[122,22],[98,36],[18,44],[40,33],[66,18],[92,26],[66,38]],[null,null,null,null,null,null,null,null,null,null,null,null,null,null,null],[["compass",[13,33]],["ship",[12,25]],["serpent",[66,48]],["Oceanus",[9,22]],["Mare Nostrum",[64,44]],["Mare Germanicum",[56,5]]]]],[[3,31]]]',1795474900);
INSERT INTO "rules" VALUES('ca79991c880ed0cbc048b2910c95250178dc8cdda0588639f64fa9185c38b381','{"alliances":["England-Frankreich","England-Lothringen","Frankreich-Lothringen","Lothringen-Franken","Franken-Schwaben","Bayern-Franken","Schwaben-Bayern","Lothringen-Burgund","Frankreich-Burgund","Schwaben-Burgund","Frankreich-Aragon","Aragon-Burgund","Aragon-Italien","Italien-Burgund","Italien-Bayern"],"border_roads":["EN4-FR1","FR1-LO2","FR5-LO4","FR6-BU2","FR8-BU5","FR7-AR3","FR8-AR5","LO3-FK1","LO5-SW1","LO5-BU1","FK6-SW2","FK7-BA1","SW3-BA2","SW4-BU3","SW4-IT1","BU6-IT1","BA5-IT3"],"cards":{"Bayern/Burgund":12,"England/Schwaben":10,"Franken/Aragon":13,"Frankreich":9,"Lothringen/Italien":11},"countries":{"Aragon":{"roads":["AR1-AR2","AR2-AR3","AR3-AR4","AR4-AR5","AR4-AR6"],"spaces":["AR1","AR2","AR3","AR4","AR5","AR6"]},"Bayern":{"roads":["BA1-BA2","BA1-BA3","BA2-BA4","BA3-BA6","BA4-BA6","BA4-BA5"],"spaces":["BA1","BA2","BA3","BA4","BA5","BA6"]},"Burgund":{"roads":["BU1-BU2","BU1-BU3","BU2-BU4","BU4-BU5","BU4-BU6"],"spaces":["BU1","BU2","BU3","BU4","BU5","BU6"]},"England":{"roads":["EN1-EN2","EN1-EN3","EN2-EN4","EN3-EN5","EN4-EN5","EN5-EN6"],"spaces":["EN1","EN2","EN3","EN4","EN5","EN6"]},"Franken":{"roads":["FK1-FK2","FK2-FK3","FK1-FK4","FK4-FK5","FK4-FK6","FK6-FK7","FK3-FK7"],"spaces":["FK1","FK2","FK3","FK4","FK5","FK6","FK7"]},"Frankreich":{"roads":["FR1-FR2","FR1-FR3","FR2-FR4","FR3-FR5","FR3-FR6","FR4-FR7","FR6-FR8","FR7-FR8"],"spaces":["FR1","FR2","FR3","FR4","FR5","FR6","FR7","FR8"]},"Italien":{"roads":["IT1-IT2","IT1-IT3","IT3-IT4","IT2-IT5","IT4-IT5","IT5-IT6"],"spaces":["IT1","IT2","IT3","IT4","IT5","IT6"]},"Lothringen":{"roads":["LO1-LO2","LO1-LO3","LO2-LO4","LO3-LO4","LO4-LO5"],"spaces":["LO1","LO2","LO3","LO4","LO5"]},"Schwaben":{"roads":["SW1-SW2","SW2-SW3","SW1-SW4"],"spaces":["SW1","SW2","SW3","SW4"]}},"pieces":{"advisors":8,"cloisters":20},"removed":{"3":2,"4":1,"5":0},"scoring_order":["England","Franken","Bayern","Italien","Aragon","Frankreich","Lothringen","Schwaben","Burgund"],"totals":{"cards":55,"roads":68,"spaces":54}}',1795474900);
CREATE TABLE set_aside (
        number INTEGER, table_id TEXT, revision INTEGER, at TEXT, kind TEXT, entry TEXT
    );
CREATE TABLE summaries (
        table_id TEXT PRIMARY KEY,
        revision INTEGER NOT NULL,
        summary TEXT NOT NULL
    );
INSERT INTO "summaries" VALUES('ku_ka_king',70,'{"created":{"entry":"created","title":"ku_ka_king","host":"anna","game":"ku_ka_king","options":{},"seats":3},"owner":"anna","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}],"phase":"playing","matches":1,"round":8,"points":[35,57,54],"active":[0,2],"rules":["1-6ae3f202","6ae3f202ba78be8082a4110a71d7d1473813496968c6d461aa1f4b0e812bfa35"],"at":1795474900}');
INSERT INTO "summaries" VALUES('land_cards',69,'{"created":{"entry":"created","title":"land_cards","host":"anna","game":"land_cards","options":{"take":"one_by_one"},"seats":3},"owner":"anna","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}],"phase":"playing","matches":1,"round":3,"points":[16,13,15],"active":[1],"rules":["1-ad1654ff","ad1654fffbab31f183a9f721f825c0517359be5f08174039c8a72c548d72be73"],"at":1795474900}');
INSERT INTO "summaries" VALUES('web_of_power',69,'{"created":{"entry":"created","title":"web_of_power","host":"anna","game":"web_of_power","options":{"interim_scoring":"immediate"},"seats":3},"owner":"anna","seats":[{"name":"anna","owner":"anna"},{"name":"bert","owner":"bert"},{"name":"cleo","owner":"cleo"}],"phase":"playing","matches":1,"round":2,"points":[0,0,0],"active":[1],"rules":["2-ca79991c","ca79991c880ed0cbc048b2910c95250178dc8cdda0588639f64fa9185c38b381"],"at":1795474901}');
CREATE TABLE uptime (number INTEGER PRIMARY KEY, seconds REAL NOT NULL);
INSERT INTO "uptime" VALUES(1,1.11572170500005540816e+00);
CREATE TABLE words (number INTEGER PRIMARY KEY, user TEXT NOT NULL, words TEXT NOT NULL);
CREATE INDEX closed ON entries (table_id) WHERE kind = 'closed';
CREATE INDEX newest ON results (owner, at);
CREATE INDEX keys_of ON account_keys (account);
CREATE INDEX words_for ON words (user);
CREATE INDEX rating_of ON ratings (game, account, number);
CREATE INDEX closed_at ON entries (at) WHERE kind = 'closed';
CREATE INDEX started ON entries (table_id) WHERE kind = 'started';
COMMIT;
