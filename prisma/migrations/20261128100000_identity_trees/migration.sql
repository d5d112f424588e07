-- The account above each account in the tree of bridges that connects its group. Null until the group is read once.
ALTER TABLE "identity_members" ADD COLUMN "parent_id" UUID;
