import { parseArgs } from 'node:util'
import { GalleyError } from '../src/errors.ts'

export const usage = `npm run demo                                 a new WordPress, up until Ctrl-C
npm run demo -- --once                       the same, ends when the post is there
npm run demo -- --site URL --user NAME       your own WordPress; asks for an application password,
                                             or takes it from GALLEY_DEMO_PASSWORD`

export interface Options {
  once: boolean
  help: boolean
  /** One's own WordPress, instead of a new one. */
  own?: { url: string; user: string }
}

/** @throws GalleyError `demo_usage` */
export function readOptions(args: string[]): Options {
  const { once, help, site, user } = parse(args)
  if (Boolean(site) !== Boolean(user)) throw wrongUsage('--site and --user belong together.')
  if (site && !URL.canParse(site))
    throw wrongUsage(`--site wants an address such as https://example.com, not ${site}.`)
  return { once, help, ...(site && user && { own: { url: site, user } }) }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        once: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        site: { type: 'string' },
        user: { type: 'string' },
      },
    }).values
  } catch (cause) {
    throw wrongUsage((cause as Error).message, cause)
  }
}

const wrongUsage = (mistake: string, cause?: unknown) =>
  new GalleyError({ code: 'demo_usage', message: `${mistake}\n\n${usage}`, cause })
