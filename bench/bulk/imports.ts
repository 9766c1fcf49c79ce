import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure, Scale } from '../benchmark.ts'
import { beside, plain } from './jobs.ts'
import { besides, type Met } from './others.ts'
import { type AnswersAfter, type Manner, startWordPresses } from './slow-sites.ts'
import { ask, type Stage } from './stage.ts'

/** Lines of the file, by how their sites answer. */
export const LINES = {
  full: { quick: 200, slow: 60, silent: 40 },
  quick: { quick: 6, slow: 2, silent: 0 },
} satisfies Record<Scale, Record<Manner, number>>

/** Milliseconds. */
const ANSWERS_AFTER = {
  full: { quick: 50, slow: 5_000 },
  quick: { quick: 50, slow: 300 },
} satisfies Record<Scale, AnswersAfter>

interface Import {
  status: 'running' | 'done'
  connected: number
  refused: number
}

/** A file whose sites answer at once, slowly, or never. */
export async function measureImport(scale: Scale, stage: Stage, idle: Met): Promise<Figure[]> {
  const lines = LINES[scale]
  // Those that answer come last: none may wait for the others.
  const manners = (['silent', 'slow', 'quick'] as const).flatMap((manner) =>
    Array.from({ length: lines[manner] }, () => manner),
  )
  const sites = await startWordPresses(manners, ANSWERS_AFTER[scale])
  try {
    const { answer, ...met } = await besides(stage, () => importAll(stage, sites.urls, lines))
    return [
      plain(
        `sites that answer are connected (${lines.quick} of ${manners.length} lines)`,
        'seconds',
        answer.quick,
      ),
      plain('every line has ended', 'seconds', answer.all),
      ...beside('during an import', met, idle),
    ]
  } finally {
    sites.close()
  }
}

/** @returns seconds */
async function importAll(
  stage: Stage,
  urls: readonly string[],
  lines: Record<Manner, number>,
): Promise<{ quick: number; all: number }> {
  const csv = [
    'url,username,application_password',
    ...urls.map((url) => `${url},ed,abcd efgh ijkl mnop qrst uvwx`),
  ]
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const { id } = await ask<{ id: string }>(stage.galley, stage.bulk, 'POST', '/v1/imports', csv.join('\n'))
  let quick: number | undefined
  for (;;) {
    const { data } = await ask<{ data: Import }>(stage.galley, stage.bulk, 'GET', `/v1/imports/${id}`)
    if (quick === undefined && data.connected >= lines.quick) quick = seconds()
    if (data.status === 'done') {
      if (data.connected !== lines.quick + lines.slow || data.refused !== lines.silent)
        throw new Error(`${data.connected} lines were connected and ${data.refused} refused`)
      return { quick: quick ?? seconds(), all: seconds() }
    }
    await sleep(100)
  }
}
