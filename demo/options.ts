import { parseArgs } from 'node:util'
import { GalleyError } from '../src/errors.ts'

export const usage = `npm run demo                                 a new WordPress, up until Ctrl-C
npm run demo -- --once                       the same; ends when the post is there
npm run demo -- --site URL --user NAME       your own WordPress; asks for an application password,
                                             or takes it from GALLEY_DEMO_PASSWORD
npm run demo -- --generate                   from a prompt to a post: Galley also makes the document, from
                                             scripted answers instead of a language model
npm run demo -- --generate --ai-url URL --ai-model NAME
                                             the same with a model behind an OpenAI-compatible API; takes
                                             its key from GALLEY_DEMO_AI_KEY`

export interface Options {
  once: boolean
  help: boolean
  /** The user's own WordPress, instead of a new one. */
  own?: { url: string; user: string }
  /** Makes the document from a prompt, with this model or the scripted answers. Sends the shipped one by default. */
  generate?: { ai?: { url: string; model: string } }
}

/** @throws GalleyError `demo_usage` */
export function readOptions(args: string[]): Options {
  const { once, help, site, user, generate, 'ai-url': aiUrl, 'ai-model': aiModel } = parse(args)
  if (Boolean(site) !== Boolean(user)) throw wrongUsage('--site and --user belong together.')
  if (site && !URL.canParse(site))
    throw wrongUsage(`--site wants an address such as https://example.com, not ${site}.`)
  if (Boolean(aiUrl) !== Boolean(aiModel)) throw wrongUsage('--ai-url and --ai-model belong together.')
  if (aiUrl && !generate) throw wrongUsage('--ai-url is for --generate.')
  if (aiUrl && !URL.canParse(aiUrl))
    throw wrongUsage(`--ai-url wants an address such as https://api.example.com/v1, not ${aiUrl}.`)
  return {
    once,
    help,
    ...(site && user && { own: { url: site, user } }),
    ...(generate && { generate: aiUrl && aiModel ? { ai: { url: aiUrl, model: aiModel } } : {} }),
  }
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
        generate: { type: 'boolean', default: false },
        'ai-url': { type: 'string' },
        'ai-model': { type: 'string' },
      },
    }).values
  } catch (cause) {
    throw wrongUsage((cause as Error).message, cause)
  }
}

const wrongUsage = (mistake: string, cause?: unknown) =>
  new GalleyError({ code: 'demo_usage', message: `${mistake}\n\n${usage}`, cause })
