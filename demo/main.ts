import { once } from 'node:events'
import { GalleyError } from '../src/errors.ts'
import { connectSite } from './connect.ts'
import { deliver } from './deliver.ts'
import { startGalley } from './galley.ts'
import { generate } from './generate.ts'
import { type Options, readOptions, usage } from './options.ts'
import { createShow, ending, waitingFor } from './output.ts'
import { servePictures } from './pictures.ts'
import { sampleWebhook } from './sample.ts'
import { MODEL, startScriptedProvider } from './scripted/provider.ts'
import { openSite } from './site.ts'
import { verifyPost } from './verify.ts'

interface Stoppable {
  stop(): Promise<void>
}

const show = createShow()
/** Everything that was started, to be stopped in the end however it comes, the last first. */
const running: Promise<Stoppable>[] = []

function keep<Started extends Stoppable>(started: Promise<Started>): Promise<Started> {
  running.push(started)
  return started
}

async function stopEverything(): Promise<void> {
  const started = await Promise.allSettled(running)
  for (const result of started.reverse()) {
    if (result.status === 'fulfilled') await result.value.stop().catch(report)
  }
}

async function announced<Started extends { name: string; url: string }>(starting: Promise<Started>) {
  const started = await starting
  show(started.name, `ready at ${started.url}`)
  return started
}

/** Delivers the sample, or what is made from a prompt; everything stays up afterwards. */
async function demo(options: Options): Promise<void> {
  const { own, once: ends } = options
  const log = (line: string) => show('', line)
  const hosts = ['127.0.0.1', ...(own ? [new URL(own.url).hostname] : [])]
  const settings = await modelSettings(options)
  const [galley, site, pictures] = await Promise.all([
    announced(keep(waitingFor('Starting Galley', log, startGalley(hosts, settings)))),
    announced(keep(openSite(own, log))),
    keep(servePictures()),
  ])

  const { siteId } = await keep(connectSite(galley, site))
  show('Site', `connected as ${site.user}; Galley knows it as ${siteId}`)
  const { postStatus } = site
  const { post, warnings } = options.generate
    ? await generate(galley, { siteId, postStatus }, show)
    : await deliver(galley, sampleWebhook({ siteId, picturesUrl: pictures.url, postStatus }), show)
  for (const { message } of warnings) show('Warning', message)
  await verifyPost(site, post.id)
  show(site.name, `has post ${post.id}, ${site.postStatus}`)

  console.log(ending(site, post, !ends))
}

/** What Galley is told of the language model that writes: a real one, or the scripted answers. */
async function modelSettings({ generate: wanted }: Options): Promise<Record<string, string>> {
  if (wanted === undefined) return {}
  const { url, model } = wanted.ai ?? { url: (await keep(startScriptedProvider())).url, model: MODEL }
  show('Language model', `${model}, at ${url}`)
  const key = wanted.ai && process.env.GALLEY_DEMO_AI_KEY
  return { GALLEY_AI_URL: url, GALLEY_AI_MODEL: model, ...(key && { GALLEY_AI_KEY: key }) }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(usage)
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)))
  const complete = await Promise.race([demo(options).then(() => true), interrupted.then(() => false)])
  if (!complete) throw new GalleyError({ code: 'demo_interrupted', message: 'Interrupted.' })
  if (options.once) return
  await interrupted
}

function report(error: unknown): void {
  console.error(error instanceof GalleyError ? error.message : error)
  process.exitCode = 1
}

await main().catch(report)
await stopEverything()
process.exit()
