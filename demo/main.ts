import { once } from 'node:events'
import { GalleyError } from '../src/errors.ts'
import { deliver, generate } from './delivery.ts'
import { startGalley } from './galley.ts'
import { type Options, readOptions, usage } from './options.ts'
import { ending, printLine, show, waitingFor } from './output.ts'
import { sampleWebhook, servePictures } from './sample.ts'
import { MODEL, startScriptedProvider } from './scripted-model.ts'
import { connectSite, openSite, verifyPost } from './site.ts'

interface Stoppable {
  stop(): Promise<void>
}

/** Everything that was started. It is stopped at the end, the last first, also after a failure. */
const running: Promise<Stoppable>[] = []

function stopAtEnd<Started extends Stoppable>(started: Promise<Started>): Promise<Started> {
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

/** Delivers the sample, or what is made from a prompt. Stops nothing. */
async function demo(options: Options): Promise<void> {
  const { own, once: ends } = options
  const hosts = ['127.0.0.1', ...(own ? [new URL(own.url).hostname] : [])]
  const settings = await modelSettings(options)
  const [galley, site, pictures] = await Promise.all([
    announced(stopAtEnd(waitingFor('Starting Galley', printLine, startGalley(hosts, settings)))),
    announced(stopAtEnd(openSite(own, printLine))),
    stopAtEnd(servePictures()),
  ])

  const { siteId } = await stopAtEnd(waitingFor('Connecting the site', printLine, connectSite(galley, site)))
  show('Site', `connected as ${site.user}`)
  const { postStatus } = site
  const { post, warnings } = options.generate
    ? await generate(galley, { siteId, postStatus }, show)
    : await deliver(galley, sampleWebhook({ siteId, picturesUrl: pictures.url, postStatus }), show)
  for (const { message } of warnings) show('Warning', message)
  await verifyPost(site, post.id)
  show(site.name, `has the post with the status ${site.postStatus}`)

  console.log(ending(site, post, !ends))
}

/** Galley's settings for the language model: a real one, or the scripted answers. */
async function modelSettings({ generate: requested }: Options): Promise<Record<string, string>> {
  if (requested === undefined) return {}
  const { url, model } = requested.ai ?? { url: (await stopAtEnd(startScriptedProvider())).url, model: MODEL }
  show('Language model', `${model}, at ${url}`)
  const key = requested.ai && process.env.GALLEY_DEMO_AI_KEY
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
