import { readFile } from 'node:fs/promises'
import type { bundleGalley } from '../../../scripts/bundle.ts'

/** Titles of documents over which a Galley bundled with {@link deadly} ends. */
export const deadlyTitles = { kills: 'This one kills', eats: 'This one eats the memory' }

/** Where a document becomes the fields of its post: in the middle of a delivery, and in the process itself. */
const STEP = /delivery\/steps\/fields\.ts$/
const PLACE = 'const { settings } = site\n'

/** Changes of the bundle by which the process ends, as by kill -9 or for want of memory, over what has such a title. */
export const deadly: NonNullable<Parameters<typeof bundleGalley>[2]> = {
  banner: `globalThis.deadly = ({ title }) => {
      if (title === ${JSON.stringify(deadlyTitles.kills)}) process.kill(process.pid, 'SIGKILL')
      if (title !== ${JSON.stringify(deadlyTitles.eats)}) return
      for (const all = []; ; ) all.push(new Array(100_000).fill(title))
    }`,
  plugins: [
    {
      name: 'deadly',
      setup({ onLoad }) {
        onLoad({ filter: STEP }, async ({ path }) => {
          const source = await readFile(path, 'utf8')
          if (!source.includes(PLACE)) throw new Error(`${path} is not as this test knows it`)
          return { loader: 'ts', contents: source.replace(PLACE, `${PLACE}globalThis.deadly(document)\n`) }
        })
      },
    },
  ],
}
