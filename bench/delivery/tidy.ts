import type { Pool } from 'pg'
import type { TERMS } from './deliver.ts'
import type { BenchWordPress } from './wordpress.ts'

/** Deletes for good every post and term that the benchmark made: an editor may. */
export async function removeMade(
  wordpress: BenchWordPress,
  pool: Pool,
  terms: typeof TERMS,
  replayed: readonly number[],
): Promise<void> {
  const { rows } = await pool.query<{ post_id: number }>(
    'SELECT post_id FROM delivery WHERE post_id IS NOT NULL',
  )
  const left = [...rows.map(({ post_id }) => post_id), ...replayed]
  const line = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      await call(wordpress, 'DELETE', `posts/${id}?force=true`)
  }
  await Promise.all([line(), line(), line(), line()])
  for (const [taxonomy, name] of Object.entries(terms)) {
    const found = await call<{ id: number; name: string }[]>(
      wordpress,
      'GET',
      `${taxonomy}?search=${encodeURIComponent(name)}`,
    )
    for (const term of found.filter((candidate) => candidate.name === name))
      await call(wordpress, 'DELETE', `${taxonomy}/${term.id}?force=true`)
  }
}

async function call<Answer>(wordpress: BenchWordPress, method: string, path: string): Promise<Answer> {
  const { url, username, applicationPassword } = wordpress
  const response = await fetch(`${url}/wp-json/wp/v2/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${applicationPassword}`).toString('base64')}`,
    },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as Answer
}
