import { expect } from 'vitest'
import { type At, type KillStage, noDrift } from './stage.ts'

/**
 * Keeps so many jobs under way, some of which are declined, and kills their processes at random points so many times. Then
 * all jobs have ended, nothing has drifted, and nothing was paid twice but what was in flight when a process was killed.
 */
export async function killMany(
  stage: KillStage,
  { kills, atOnce, random }: { kills: number; atOnce: number; random: () => number },
): Promise<void> {
  let killed = 0
  stage.killAt(({ unfair }: At) => {
    if (unfair || killed >= kills || random() > 0.1) return false
    killed += 1
    return true
  })
  const all: string[] = []
  const keepMaking = async () => {
    while (killed < kills) {
      const declined = random() < 0.2
      const id = declined ? await stage.image('declined') : await stage.document()
      if (declined) stage.declines.add(id)
      all.push(id)
      await stage.ended(id, 180)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepMaking))

  const { rows } = await stage.pool.query(
    'SELECT id, status, error FROM generation_job WHERE id = ANY ($1)',
    [all],
  )
  expect(rows).toHaveLength(all.length)
  const failed = rows.filter(({ status }) => status === 'failed')
  expect(failed.filter(({ error }) => error.code !== 'CONTENT_MODERATION')).toEqual([])
  expect(await stage.drift()).toEqual(noDrift)

  const counts = (list: readonly string[]) => {
    const counted = new Map<string, number>()
    for (const one of list) counted.set(one, (counted.get(one) ?? 0) + 1)
    return counted
  }
  // Those made before were killed otherwise.
  const paid = counts(
    stage.paid.filter(({ job }) => all.includes(job)).map(({ job, part }) => `${job} ${part}`),
  )
  const inFlight = counts(stage.inFlight)
  const tooOften = [...paid].filter(([part, times]) => times > 1 + (inFlight.get(part) ?? 0))
  expect(tooOften).toEqual([])
  // Whoever was asked again is shown.
  const { rows: shown } = await stage.pool.query(
    `SELECT job_id || ' ' || part AS part, count(*)::int AS times FROM generation_call WHERE perhaps_paid_twice GROUP BY 1`,
  )
  const shownOf = new Map(shown.map(({ part, times }) => [part, times]))
  expect([...paid].filter(([part, times]) => times - 1 > (shownOf.get(part) ?? 0))).toEqual([])
  // And nobody else: the ledger knows of each such call another one whose answer was lost.
  const { rows: unfounded } = await stage.pool.query(
    `SELECT c.id FROM generation_call c WHERE c.perhaps_paid_twice AND NOT EXISTS (
       SELECT FROM generation_call lost
       WHERE lost.job_id = c.job_id AND lost.part = c.part AND lost.outcome = 'lost' AND lost.id < c.id)`,
  )
  expect(unfounded).toEqual([])
}
