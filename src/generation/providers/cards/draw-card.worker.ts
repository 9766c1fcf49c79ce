import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { CardTask } from './cards.ts'

interface CardElement {
  type: string
  key: null
  props: { style: Record<string, string | number>; children?: string | CardElement[] | undefined }
}

/** Grounds on which white letters stand out by at least 7 to 1 (WCAG 2.2, 1.4.6), each with the colour of its shape. */
const cardColours = [
  ['#12355b', '#f2b134'],
  ['#1f4037', '#99d98c'],
  ['#4a1942', '#f28482'],
  ['#3d2b1f', '#e9c46a'],
  ['#14213d', '#fca311'],
  ['#2b2d42', '#8ecae6'],
] as const

/** What satori sets: a background, a shape, and the text in letters as large as there is room for. */
function layoutCard({ text, width, height }: CardTask, fontFamily: string): CardElement {
  const [background, shape] = cardColours[sumOf(text) % cardColours.length] ?? cardColours[0]
  const margin = Math.round(width / 16)
  return div(
    {
      width,
      height,
      boxSizing: 'border-box',
      flexDirection: 'column',
      justifyContent: 'space-between',
      padding: margin,
      backgroundColor: background,
    },
    [
      div({ width: width / 5, height: Math.round(width / 60), backgroundColor: shape }),
      div(
        {
          width: width - 2 * margin,
          color: '#ffffff',
          fontFamily,
          fontSize: fitFontSize(text.length, width, height),
          lineHeight: 1.15,
          wordBreak: 'break-word',
        },
        text,
      ),
    ],
  )
}

/** Pixels of a letter's height so that a text of this length takes about half of the card. */
const fitFontSize = (length: number, width: number, height: number): number =>
  Math.min(Math.round(width / 10), Math.round(Math.sqrt((width * height * 0.55) / Math.max(length, 1))))

const sumOf = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)

const div = (style: CardElement['props']['style'], children?: CardElement['props']['children']) => ({
  type: 'div',
  key: null,
  props: { style: { display: 'flex', ...style }, children },
})

/** A thread that sets cards: reading the fonts and setting a text stops everybody else for as long. */

const { resolve } = createRequire(import.meta.url)

/** Inter for Latin, Greek and Cyrillic letters. The first one's measures are those of the lines. */
const subsets = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese']
const fonts = subsets.map((subset) => ({
  name: `Inter ${subset}`,
  data: readFileSync(resolve(`@fontsource/inter/files/inter-${subset}-700-normal.woff`)),
  weight: 700 as const,
  style: 'normal' as const,
}))
const family = fonts.map(({ name }) => name).join(', ')

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
