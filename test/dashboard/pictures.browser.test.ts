import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// The four pictures of the README. `npm run screenshots` writes them into docs/pictures; elsewhere they are made all the same,
// and thrown away.

const pictures = [
  { name: 'start', path: '/', colorScheme: 'light' },
  { name: 'sites', path: '/sites', colorScheme: 'light' },
  { name: 'delivery', path: null, colorScheme: 'dark' },
  { name: 'deliveries', path: '/deliveries?status=held,failed', colorScheme: 'dark' },
] as const

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
  '$name is small, and stands in the README with words for those who do not see it',
  async (picture) => {
    const { page, context, wrong } = await stage.open(picture.path ?? `/deliveries/${stage.deliveryIds[9]}`, {
      context: { viewport: { width: 1200, height: 750 }, colorScheme: picture.colorScheme },
    })
    await shown(page)
    // 256 colours are enough for a page, and a third of the bytes.
    await sharp(await page.screenshot())
      .png({ palette: true, effort: 10 })
      .toFile(`${folder}/${picture.name}.png`)
    expect((await stat(`${folder}/${picture.name}.png`)).size).toBeLessThan(MOST)
    expect((await stat(`docs/pictures/${picture.name}.png`)).size).toBeLessThan(MOST)
    const readme = await readFile('README.md', 'utf8')
    expect(readme).toMatch(new RegExp(`!\\[[^\\]]{20,}\\]\\(docs/pictures/${picture.name}\\.png\\)`))
    expect(wrong).toEqual([])
    await context.close()
  },
)
