-- What was requested of a site was called a wish here, and nowhere else. Written by hand: a column that is dropped and made
-- anew would lose the links that are open and the imports that are under way.
ALTER TABLE "connect_link" RENAME COLUMN "wish" TO "requested";

ALTER TABLE "site_import_line" RENAME COLUMN "wish" TO "requested";
