import { readFile, stat } from 'node:fs/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// The pictures of the README and of docs/dashboard.md. `npm run screenshots` makes them; that its views open without an error is
// in views.browser.test.ts.

const pictures = [
  { name: 'start', path: '/', colorScheme: 'light' },
  { name: 'sites', path: '/sites', colorScheme: 'light' },
  { name: 'delivery', path: null, colorScheme: 'dark' },
  { name: 'deliveries', path: '/deliveries?status=held,failed', colorScheme: 'dark' },
  { name: 'outage', path: '/', colorScheme: 'light' },
] as const

/** Half of the sites fail at the same time, for three causes, and one needs its owner. */
const OUTAGE = `
  UPDATE site SET paused_until = now() + interval '4 minutes' WHERE paused_until IS NOT NULL;
  UPDATE site SET trouble_since = now() - CASE n % 8 WHEN 7 THEN interval '12 minutes' ELSE interval '4 minutes' END,
    paused_until = now() + interval '28 seconds',
    attention_at = now() + CASE n % 8 WHEN 7 THEN interval '-2 minutes' ELSE interval '23 hours' END, stopped_at = NULL,
    trouble = jsonb_build_object('code', found.code, 'message', found.message)
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM site) numbered
  JOIN (VALUES (1, 'server_error', 'The site answers with an error of its server (503).'),
    (3, 'timeout', 'The site does not answer within 30 seconds.'),
    (5, 'server_error', 'The site answers with an error of its server (503).'),
    (7, 'php_fatal_error', 'WordPress stops with a fatal error of PHP.')) AS found (kind, code, message) ON found.kind = n % 8
  WHERE numbered.id = site.id`

/** Bytes: the README is read on telephones too. */
const MOST = 100_000

const kept = process.env.GALLEY_SCREENSHOTS !== undefined

let stage: Stage | undefined
beforeAll(async () => {
  if (kept) stage = await startStage({ sites: 24, deliveries: 3_000 })
})
afterAll(() => stage?.stop())

it.each(pictures)(
  '$name is small, and stands in its document with words for those who do not see it',
  async (picture) => {
    if (stage !== undefined) await take(stage, picture)
    expect((await stat(`docs/pictures/${picture.name}.png`)).size).toBeLessThan(MOST)
    const document = await readFile(picture.name === 'outage' ? 'docs/dashboard.md' : 'README.md', 'utf8')
    expect(document).toMatch(new RegExp(`!\\[[^\\]]{20,}\\]\\((docs/)?pictures/${picture.name}\\.png\\)`))
  },
)

async function take(stage: Stage, { name, path, colorScheme }: (typeof pictures)[number]): Promise<void> {
  if (name === 'outage') await stage.pool.query(OUTAGE)
  const { page, wrong } = await stage.open(path ?? `/deliveries/${stage.deliveryIds[9]}`, {
    context: { viewport: { width: 1200, height: 750 }, colorScheme },
  })
  await shown(page)
  // 256 colours are enough for a page, and a third of the bytes.
  await sharp(await page.screenshot())
    .png({ palette: true, effort: 10 })
    .toFile(`docs/pictures/${name}.png`)
  expect(wrong).toEqual([])
}
