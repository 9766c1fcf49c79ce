import { wordPressTree } from '../demo/wordpress/index.ts'
import { renderSettingsSchema } from '../src/render/options.ts'
import { renderDocument } from '../src/render/render.ts'
import { loadEditor } from '../test/support/editor.ts'
import { article, articleOf } from './render/article.ts'

/**
 * Microseconds of processor time that one call takes: the least of many samples, since whatever else the machine
 * does can only add to it.
 */
export function least(samples: readonly number[]): number {
  return samples.reduce((low, sample) => Math.min(low, sample))
}

/** Processor time of this process over `calls` calls, per call, in microseconds. */
export function processorTime(work: () => unknown, calls: number): number {
  const before = process.cpuUsage()
  for (let call = 0; call < calls; call += 1) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

/** Bytes allocated by one call. Needs `--expose-gc`, and a young generation that holds them all. */
export function allocated(work: () => unknown): number {
  if (globalThis.gc === undefined) throw new Error('run with node --expose-gc')
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  work()
  return process.memoryUsage().heapUsed - before
}

const options = { format: 'block' as const, media: new Map(), settings: renderSettingsSchema.parse({}) }
const json = JSON.stringify(article)

const { version, root } = await wordPressTree({ log: console.log })
const editor = loadEditor(root)

const render = () => renderDocument(article, options).markup
/** The same post as a person's insertions into the editor. */
const templates = editor.templates(render())
const parse = () => JSON.parse(json)
const gutenberg = () => editor.save(templates)

// The templates have line breaks for those of preformatted text, which the editor reads alike.
if (render() !== gutenberg().replaceAll('<br>', '\n'))
  throw new Error('Galley and the block editor did not write the same bytes')

console.log(
  `one article: ${article.blocks.length} blocks, ${(json.length / 1000).toFixed(1)} KB of JSON, the same bytes from`,
)
console.log(`Galley and from the block editor of WordPress ${version}; Node ${process.version}\n`)

const samples = { parse: [] as number[], render: [] as number[], gutenberg: [] as number[] }
for (let round = 0; round < 40; round += 1) {
  samples.parse.push(processorTime(parse, 100))
  samples.render.push(processorTime(render, 100))
  samples.gutenberg.push(processorTime(gutenberg, 2))
}
const time = {
  parse: least(samples.parse),
  render: least(samples.render),
  gutenberg: least(samples.gutenberg),
}

const perSecond = (microseconds: number) => Math.round(1_000_000 / microseconds).toLocaleString('en')
const line = (name: string, microseconds: number) =>
  console.log(
    `${name.padEnd(38)} ${microseconds.toFixed(0).padStart(8)} µs ${perSecond(microseconds).padStart(9)} /s`,
  )
line('JSON.parse', time.parse)
line('Galley renderDocument', time.render)
line('Gutenberg createBlock + serialize', time.gutenberg)
console.log(`\nGalley / JSON.parse   ${(time.render / time.parse).toFixed(2)}   (target: at most 1.5)`)
console.log(`Gutenberg / Galley    ${(time.gutenberg / time.render).toFixed(0)}   (target: at least 150)\n`)

console.log('growth: blocks, µs a block, bytes allocated a block')
for (const count of [100, 1_000, 10_000]) {
  const document = articleOf(count)
  const work = () => renderDocument(document, options)
  const microseconds = least(Array.from({ length: 10 }, () => processorTime(work, Math.ceil(10_000 / count))))
  const bytes = least(Array.from({ length: 5 }, () => allocated(work)))
  console.log(
    `${String(count).padStart(8)} ${(microseconds / count).toFixed(2).padStart(10)} ${(bytes / count).toFixed(0).padStart(8)}`,
  )
}
process.exit(0)
