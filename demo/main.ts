import { once } from 'node:events'
import { GalleyError } from '../src/errors.ts'
import { connectSite } from './connect.ts'
import { deliver } from './deliver.ts'
import { ending } from './ending.ts'
import { startGalley } from './galley.ts'
import { type Options, readOptions, usage } from './options.ts'
import { servePictures } from './pictures.ts'
import { sampleWebhook } from './sample.ts'
import { createShow } from './show.ts'
import { openSite } from './site.ts'
import { verifyPost } from './verify.ts'
import { waitingFor } from './wordpress/progress.ts'

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

/** Delivers the sample; everything stays up afterwards. */
async function demo({ own, once: ends }: Options): Promise<void> {
  const log = (line: string) => show('', line)
  const hosts = ['127.0.0.1', ...(own ? [new URL(own.url).hostname] : [])]
  const [galley, site, pictures] = await Promise.all([
    announced(keep(waitingFor('Starting Galley', log, startGalley(hosts)))),
    announced(keep(openSite(own, log))),
    keep(servePictures()),
  ])

  const { siteId } = await keep(connectSite(galley, site))
  show('Site', `connected as ${site.user}; Galley knows it as ${siteId}`)
  const webhook = sampleWebhook({ siteId, picturesUrl: pictures.url, postStatus: site.postStatus })
  const { post, warnings } = await deliver(galley, webhook, show)
  for (const { message } of warnings) show('Warning', message)
  await verifyPost(site, post.id)
  show(site.name, `has post ${post.id}, ${site.postStatus}`)

  console.log(ending(site, post, !ends))
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(usage)
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)))
  const complete = await Promise.race([demo(options).then(() => true), interrupted.then(() => false)])
  if (!complete) throw new GalleyError({ code: 'demo_interrupted', message: 'Interrupted.' })
  if (options.once) return
  console.log('\nCtrl-C ends it all.')
  await interrupted
}

function report(error: unknown): void {
  console.error(error instanceof GalleyError ? error.message : error)
  process.exitCode = 1
}

await main().catch(report)
await stopEverything()
process.exit()
