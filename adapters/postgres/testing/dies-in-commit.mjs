// Makes one credit with the bare driver, and says so just before it waits for its COMMIT.
import { Client } from 'pg';

const [host, port, user, password, database] = process.argv.slice(2);
const client = new Client({ host, port: Number(port), user, password, database });
await client.connect();
await client.query('BEGIN');
await client.query(
  "INSERT INTO credits (account,reference,amount_minor,currency) VALUES ('acc_0001','ref_dead',2000,'eur')",
);
await client.query('COMMIT');
