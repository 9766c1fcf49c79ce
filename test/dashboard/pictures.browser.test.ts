import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// The pictures of the README and of docs/dashboard.md. `npm run screenshots` writes them into docs/pictures; elsewhere they are
// made all the same, and thrown away.

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

let stage: Stage
let folder: string
beforeAll(async () => {
  stage = await startStage({ sites: 24, deliveries: 3_000 })
  folder = kept ? 'docs/pictures' : await mkdtemp(join(tmpdir(), 'galley-pictures-'))
  await mkdir(folder, { recursive: true })
})
afterAll(async () => {
  await stage.stop()
  if (!kept) await rm(folder, { recursive: true })
})

it.each(pictures)(
  '$name is small, and stands in its document with words for those who do not see it',
  async (picture) => {
    const isOutage = picture.name === 'outage'
    if (isOutage) await stage.pool.query(OUTAGE)
    const { page, wrong } = await stage.open(picture.path ?? `/deliveries/${stage.deliveryIds[9]}`, {
      context: { viewport: { width: 1200, height: 750 }, colorScheme: picture.colorScheme },
    })
    await shown(page)
    // 256 colours are enough for a page, and a third of the bytes.
    await sharp(await page.screenshot())
      .png({ palette: true, effort: 10 })
      .toFile(`${folder}/${picture.name}.png`)
    expect((await stat(`${folder}/${picture.name}.png`)).size).toBeLessThan(MOST)
    expect((await stat(`docs/pictures/${picture.name}.png`)).size).toBeLessThan(MOST)
    const document = await readFile(isOutage ? 'docs/dashboard.md' : 'README.md', 'utf8')
    expect(document).toMatch(new RegExp(`!\\[[^\\]]{20,}\\]\\((docs/)?pictures/${picture.name}\\.png\\)`))
    expect(wrong).toEqual([])
  },
)
