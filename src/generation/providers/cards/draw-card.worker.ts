import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { CardFont, CardTask } from './cards.ts'
import { layoutCard } from './layout.ts'

/** A thread that sets cards: reading the fonts and setting a text stops everybody else for as long. */

const fonts = (workerData as CardFont[]).map(({ name, file }) => ({
  name,
  data: readFileSync(file),
  weight: 700 as const,
  style: 'normal' as const,
}))
const family = fonts.map(({ name }) => name).join(', ')

/** The card as SVG, its letters as outlines, and what no font here can show of its text. */
async function draw(task: CardTask): Promise<{ svg: string; missing: string }> {
  // Asked for as a module of ES: what `require` gives has its function one floor lower.
  const { default: satori } = await import('satori')
  const missing: string[] = []
  const svg = await satori(layoutCard(task, family), {
    width: task.width,
    height: task.height,
    fonts,
    loadAdditionalAsset: async (_language, segment) => {
      missing.push(segment)
      return []
    },
  })
  return { svg, missing: missing.join('') }
}

/** A letter that cannot be shown takes the whole text with it, anything else only itself. */
async function card(task: CardTask): Promise<string> {
  const { svg, missing } = await draw(task)
  if (missing === '') return svg
  const text = /[\p{L}\p{N}]/u.test(missing)
    ? ''
    : [...task.text].filter((character) => !missing.includes(character)).join('')
  return (await draw({ ...task, text })).svg
}

parentPort?.on('message', async (task: CardTask) => parentPort?.postMessage(await card(task)))
