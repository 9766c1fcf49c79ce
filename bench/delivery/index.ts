import type { Benchmark, Figure, Result, Scale } from '../benchmark.ts'
import type { Postgres } from '../support/postgres.ts'
import { measureBacklog, measurePictures } from './backlog.ts'
import { CarelessLoop, type Model, modelOf } from './careless.ts'
import { measureDeadSite } from './dead-site.ts'
import { allDelivered, PICTURE, type Pictures, send, servePictures } from './documents.ts'
import { newestPost, removeMade, removeTerms } from './posts.ts'
import { type BenchWordPress, withWordPress } from './processor.ts'
import { measureShaky } from './shaky.ts'
import { measureSingle } from './single.ts'
import { AT_A_TIME, onStage, type Stage } from './stage.ts'

const SCALES = {
  full: {
    warmUps: 2,
    backlog: { rounds: 6, documents: 120 },
    pictures: { rounds: 4, documents: 40 },
    shaky: { rounds: 6, documents: 240, often: 20, seldom: 50 },
    singles: 20,
  },
  quick: {
    warmUps: 0,
    backlog: { rounds: 1, documents: 2 },
    pictures: { rounds: 1, documents: 1 },
    shaky: { rounds: 1, documents: 2, often: 8, seldom: 10 },
    singles: 1,
  },
} satisfies Record<Scale, object>

export const delivery: Benchmark = {
  title: 'Delivery',
  baseline: 'a careless loop of one POST a post, or what is said below the table',
  run: (scale, postgres) => withWordPress((wordpress) => run(scale, postgres, wordpress)),
}

/** On a WordPress of the caller's; what it makes there it removes. */
export async function run(scale: Scale, postgres: Postgres, wordpress: BenchWordPress): Promise<Result> {
  const above = await newestPost(wordpress)
  const loop = new CarelessLoop(wordpress, AT_A_TIME)
  const pictures = await servePictures()
  try {
    const figures = await onStage(scale, postgres, wordpress, (stage) =>
      measure(scale, stage, loop, pictures),
    )
    return { figures, conditions: conditions(scale, wordpress) }
  } finally {
    pictures.close()
    await loop.close()
    await removeMade(wordpress, above)
    await removeTerms(wordpress)
  }
}

async function measure(
  scale: Scale,
  stage: Stage,
  loop: CarelessLoop,
  { addressOf }: Pictures,
): Promise<Figure[]> {
  const { warmUps, backlog, pictures, shaky, singles } = SCALES[scale]
  const sites = { batched: await stage.connect(), single: await stage.connect({ batch: 'off' }) }
  // These make the terms and show what a post looks like that is finished.
  const model = await modelFor(stage, sites.batched)
  const illustrated = await modelFor(stage, sites.single, addressOf)
  // What has not run often is slower: V8 has yet to compile it, and a Galley runs for weeks.
  if (warmUps > 0) await measureBacklog(stage, { loop, model, sites }, { ...backlog, rounds: warmUps })
  return [
    ...(await measureBacklog(stage, { loop, model, sites }, backlog)),
    ...(await measurePictures(stage, { loop, model: illustrated, sites }, pictures, addressOf)),
    ...(await measureShaky(stage, shaky)),
    ...(await measureSingle(stage, { loop, model, siteId: sites.batched }, singles)),
    ...(await measureDeadSite(scale, stage)),
  ]
}

/** Delivers one document, and reads the post that Galley made of it. */
async function modelFor(
  { pool, webhook, wordpress }: Stage,
  siteId: string,
  picture?: (documentId: string) => string,
): Promise<Model> {
  const documentId = await send({ webhook, siteId, picture })
  await allDelivered(pool, [documentId])
  const { rows } = await pool.query<{ post_id: number }>(
    'SELECT post_id FROM delivery WHERE document_id = $1',
    [documentId],
  )
  return modelOf(wordpress, rows[0]?.post_id ?? 0, documentId)
}

function conditions(scale: Scale, { kind, version }: BenchWordPress): string[] {
  const { backlog, pictures, shaky, singles } = SCALES[scale]
  return [
    'The baseline of a backlog is a careless loop over keep-alive connections: one POST a post with the same markup, status and terms, before it one upload where there is a picture. Of failing requests it is Galley itself, through the same proxy, when none fails; of one document, two bare requests, a draft and then all of it; of a dead site, the most that it may get.',
    `WordPress ${version}, ${kind}; ${AT_A_TIME} posts at a time on both sides. Each document has a category and a tag.`,
    `${backlog.rounds} rounds of ${backlog.documents} posts without pictures, ${pictures.rounds} of ${pictures.documents} with ${PICTURE}, ${shaky.rounds} of ${shaky.documents} with failures, ${singles} single documents; in turn with their baselines, medians.`,
    'A backlog is stored first; time and processor time run from its release to the last settlement in the database. After each, every document has exactly one post, or there are no figures.',
    `One in ${shaky.often} or in ${shaky.seldom} requests fails, at a place drawn by lot: in turn it is reset before WordPress has it, answered 502 without effect, and answered 500 after its effect. A batch is one request.`,
    'The hour of the dead site is simulated: a site that has delivered one document answers 502 from then on, while 20 wait; whenever Galley waits too, all that is written down about that site is made older by as much.',
    'Galley in one process with its own PostgreSQL, all on this machine, WordPress and its database too.',
  ]
}
