import type { Pool } from 'pg'

/** Keeps every secret of the run, and finds them where nobody may write them. */
export interface Secrets {
  /** @param name how a find is told: never with the secret itself */
  add(name: string, secret: string): void
  /** Names of the secrets that stand in a text, in any of the spellings in which one would be written. */
  within(text: string): string[]
}

export function keepSecrets(): Secrets {
  const spellings = new Map<string, string>()
  return {
    add(name, secret) {
      const json = JSON.stringify(secret).slice(1, -1)
      for (const spelling of [
        secret,
        json,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
      ])
        spellings.set(spelling.replace(/=+$/, ''), name)
    },
    within(text) {
      const found = new Set<string>()
      for (const [spelling, name] of spellings) if (text.includes(spelling)) found.add(name)
      return [...found]
    },
  }
}

/** The tables and columns in which a secret stands in clear. What senders sent themselves (`event.body`) is theirs. */
export async function secretsInDatabase(pool: Pool, secrets: Secrets): Promise<string[]> {
  const { rows: columns } = await pool.query<{ schema: string; table: string; column: string }>(
    `SELECT table_schema AS schema, table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema IN ('public', 'graphile_worker') AND is_updatable = 'YES'
       AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY')`,
  )
  const found: string[] = []
  for (const { schema, table, column } of columns) {
    const { rows } = await pool.query<{ text: string }>(
      `SELECT DISTINCT "${column}"::text AS text FROM "${schema}"."${table}" WHERE "${column}" IS NOT NULL`,
    )
    for (const { text } of rows)
      for (const name of secrets.within(text)) found.push(`${name} in ${table}.${column}`)
  }
  return [...new Set(found)]
}
