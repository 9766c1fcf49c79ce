import type { Client } from 'pg'

/**
 * Does `work` on tables without indexes, but those of their keys, and makes them anew: that takes a fraction of the time in
 * which each row would find its place in each index. Then the tables are as autovacuum would have left them.
 */
export async function withoutIndexes<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`,
  )
  await client.query(`DROP INDEX ${indexes.map(({ name }) => name).join(', ')}`)
  await client.query(`SET maintenance_work_mem = '512MB'`)
  const result = await work()
  // Before the indexes are there, which it would have to read.
  await client.query('VACUUM')
  for (const { definition } of indexes) await client.query(definition)
  // After them: what it learns of an expression, it learns for the index that has it.
  await client.query('ANALYZE')
  await client.query('RESET maintenance_work_mem')
  return result
}
