import type { ClientBase } from 'pg'
import type { DocumentResult, WireBlock } from '../../src/contract/generation/results.ts'
import { documentRequest } from '../support/generation/documents.ts'

const text = (words: string) => ({ type: 'text', text: words }) as const

const blocks: WireBlock[] = [
  {
    type: 'paragraph',
    content: [
      text('The sea comes up to the wall twice a day, '),
      { type: 'bold', text: 'and not quite at the same hour' },
      text('. Why that is so, sailors knew long before anybody could '),
      { type: 'link', text: 'work it out', url: 'https://tides.example/why' },
      text('.'),
    ],
  },
  { type: 'heading', level: 2, text: 'Two bulges, one turning Earth' },
  {
    type: 'paragraph',
    content: [
      text('The Moon pulls at the water that is nearest to it, and less at what is farthest. Under both '),
      { type: 'italic', text: 'bulges' },
      text(' the Earth turns on, and so a harbour passes each of them once a day.'),
    ],
  },
  { type: 'list', ordered: true, items: ['High water under the Moon', 'Low water a quarter turn on'] },
  { type: 'heading', level: 3, text: 'How high it gets' },
  {
    type: 'table',
    headers: ['Place', 'Range', 'What makes it so'],
    rows: [
      ['Bay of Fundy', '16 m', 'a bay that rings with the tide'],
      ['The Baltic', '0.1 m', 'a narrow door'],
    ],
  },
  { type: 'quote', value: 'Time and tide wait for no man.' },
  { type: 'code_block', language: 'text', value: 'height = mean + range / 2 * cos(phase)' },
]

/** A finished document without pictures. */
const finished: DocumentResult = {
  title: 'Why the tide comes twice a day',
  description: 'Two bulges of water and an Earth that turns below them: what a tide is, and why it is late.',
  content: {
    type: 'document',
    version: '1.0',
    meta: {
      title: 'Why the tide comes twice a day',
      slug: 'why-the-tide-comes-twice-a-day',
      description: 'Two bulges of water and an Earth that turns below them.',
      word_count: 812,
      reading_time: '5 min read',
    },
    content: blocks,
  },
  word_count: 812,
  reading_time: '5 min read',
}

const asked = documentRequest({ prompt: 'Why the tide comes twice a day', text: { length: 800 } })

/** One that is finished, one under way, and one that has failed; nobody works on any of them. */
const jobs = [
  {
    status: 'completed',
    progress: { researching: 3, generating: 4 },
    result: finished,
    error: null,
    parts: {
      researching: ['queries', 'search-1', 'page-1'],
      generating: ['outline', 'section-1', 'section-2', 'section-3'],
    },
  },
  {
    status: 'generating',
    progress: { researching: 3, generating: 9 },
    result: null,
    error: null,
    parts: {
      researching: ['queries', 'search-1', 'page-1'],
      generating: ['outline', 'section-1', 'section-2'],
    },
  },
  {
    status: 'failed',
    progress: {},
    result: null,
    error: {
      step: 'generating',
      code: 'CONTENT_MODERATION',
      message: 'The provider ai declines to write this: it is against its policy.',
    },
    parts: {},
  },
]

const source = {
  url: 'https://tides.example/why',
  title: 'Why there are tides',
  text: 'Because of the Moon.',
}

/** @returns their ids, in this order */
export async function fillJobs(client: ClientBase, accountId: string): Promise<string[]> {
  const ids: string[] = []
  for (const [place, { status, progress, result, error, parts }] of jobs.entries()) {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO generation_job (id, account_id, kind, request, status, progress, price, request_digest, result, error,
         due_at, created_at, started_at, ended_at)
       SELECT uuidv7(), $1, 'document', $2, $3, $4, 12, ''::bytea, $5, $6, CASE WHEN $7 THEN NULL ELSE now() + interval '30 minutes' END,
         now() - interval '1 hour' * $8::int, now() - interval '1 hour' * $8::int,
         CASE WHEN $7 THEN now() - interval '1 hour' * $8::int + interval '96 seconds' END RETURNING id`,
      [accountId, asked, status, progress, result, error, status !== 'generating', jobs.length - place],
    )
    const id = rows[0]?.id as string
    ids.push(id)
    for (const [step, names] of Object.entries(parts))
      await client.query(
        `INSERT INTO generation_part (job_id, step, name, answer, answered_at)
         SELECT $1, $2, name, CASE name WHEN 'page-1' THEN jsonb_build_object('text', $4::text) ELSE '{}' END, now()
         FROM unnest($3::text[]) AS name`,
        [id, step, names, JSON.stringify(source)],
      )
  }
  return ids
}
