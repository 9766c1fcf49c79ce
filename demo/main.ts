import { once } from 'node:events'
import { GalleyError } from '../src/errors.ts'
import { deliverSample } from './deliver.ts'
import { startGalley } from './galley.ts'
import { type Options, readOptions, usage } from './options.ts'
import { servePictures } from './pictures.ts'
import { createShow } from './show.ts'
import { openSite } from './site.ts'
import { verifyPost } from './verify.ts'
import { waitingFor } from './wordpress/progress.ts'

const show = createShow()
/** Everything that was started, to be stopped in the end however it comes. */
const running: Promise<{ stop(): Promise<void> }>[] = []

function keep<Started extends { stop(): Promise<void> }>(started: Promise<Started>): Promise<Started> {
  running.push(started)
  return started
}

async function stopEverything(): Promise<void> {
  const started = await Promise.allSettled(running)
  await Promise.all(started.map((result) => result.status === 'fulfilled' && result.value.stop()))
}

/** Delivers the sample; everything stays up afterwards. */
async function demo({ own }: Options): Promise<void> {
  const log = (line: string) => show('', line)
  const hosts = ['127.0.0.1', ...(own ? [new URL(own.url).hostname] : [])]
  const [galley, site, pictures] = await Promise.all([
    keep(waitingFor('Starting Galley', log, startGalley(hosts))),
    keep(openSite(own, log)),
    keep(servePictures()),
  ])
  show('Galley', `ready at ${galley.url}`)
  show(site.name, `ready at ${site.url}`)

  const delivery = await deliverSample(galley, site, pictures.url, show)
  for (const { message } of delivery.warnings) show('Warning', message)
  const { status, title } = await verifyPost(site, delivery)
  show(site.name, `has "${title.raw}", ${status}`)

  console.log(`\nPost   ${delivery.post?.url}\nEdit   ${delivery.post?.edit_url}`)
  if (site.password) console.log(`Log in as ${site.user} with ${site.password}`)
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(usage)
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const delivered = demo(options).then(() => true)
  const complete = await Promise.race([delivered, interrupted.then(() => false)])
  if (!complete) throw new GalleyError({ code: 'demo_interrupted', message: 'Interrupted.' })
  if (options.once) return
  console.log('\nCtrl-C ends it all.')
  await interrupted
}

try {
  await main()
} catch (error) {
  console.error(error instanceof GalleyError ? error.message : error)
  process.exitCode = 1
} finally {
  await stopEverything()
}
process.exit()
