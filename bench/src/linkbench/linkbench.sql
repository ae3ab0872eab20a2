-- LinkBench's tables: what is asked for by key has the key, and the list of an id is covered by an index.
CREATE TABLE node (id bigint NOT NULL, time bigint NOT NULL, data bytea NOT NULL);
CREATE TABLE link (
  id1 bigint NOT NULL, kind bigint NOT NULL, id2 bigint NOT NULL,
  time bigint NOT NULL, version integer NOT NULL, data bytea NOT NULL);
-- Room in each page lets a counter change without touching its index.
CREATE TABLE count (id bigint NOT NULL, kind bigint NOT NULL, n bigint NOT NULL) WITH (fillfactor = 70);

-- One round trip and one transaction for a link and its counter.
CREATE FUNCTION put_link(a bigint, k bigint, b bigint, t bigint, d bytea) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE new boolean;
BEGIN
  INSERT INTO link VALUES (a, k, b, t, 1, d)
    ON CONFLICT (id1, kind, id2) DO UPDATE SET time = excluded.time, data = excluded.data, version = link.version + 1
    RETURNING xmax = 0 INTO new;
  IF new THEN
    INSERT INTO count VALUES (a, k, 1) ON CONFLICT (id, kind) DO UPDATE SET n = count.n + 1;
  END IF;
  RETURN new;
END $$;

CREATE FUNCTION delete_link(a bigint, k bigint, b bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM link WHERE id1 = a AND kind = k AND id2 = b;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE count SET n = n - 1 WHERE id = a AND kind = k;
  RETURN true;
END $$;
