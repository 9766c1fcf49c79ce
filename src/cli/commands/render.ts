import { type Command, Option } from 'commander'
import { emptyDocument, isEmpty } from '../../contract/empty.ts'
import { LimitError } from '../../contract/limit-error.ts'
import { normaliseDocument } from '../../contract/normalise.ts'
import { GalleyError } from '../../errors.ts'
import { renderDocument } from '../../render/render.ts'
import { renderSettingsSchema } from '../../render/settings.ts'
import { parseDocument, readDocument } from '../document.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'
import { jsonText, neutral } from '../output/neutral.ts'
import type { World } from '../world.ts'

interface Options {
  format: 'block' | 'classic'
  wordpress?: string
  json?: boolean
}

/** `galley render FILE`: the markup of a document, as a site that has chosen nothing would get it. Asks nobody. */
export function render(command: Command, world: World): void {
  command
    .argument('<file>', 'JSON file with a webhook, or with its data; - reads standard input')
    .addOption(
      new Option('--format <format>', 'for the block editor, or the classic one')
        .choices(['block', 'classic'])
        .default('block'),
    )
    .option('--wordpress <version>', 'version of the site’s WordPress, such as 6.8; else the newest')
    .addHelpText(
      'after',
      examples('galley render article.json', 'galley render article.json --format classic'),
    )
    .action(async (file: string, _options: object, { optsWithGlobals }: Command) => {
      const { format, wordpress, json } = optsWithGlobals.call(command) as Options
      const { data } = await readDocument(world, file)
      const { markup, warnings } = rendered(file, data, format, wordpress)
      if (json) return world.write(`${jsonText({ success: true, data: { markup, warnings } }, 2)}\n`)
      for (const { message } of warnings) world.note(neutral(`Warning: ${message}`))
      // A file gets exactly the bytes; a terminal, nothing that it would act on.
      await world.write(`${world.columns === undefined ? markup : neutral(markup)}\n`)
    })
}

function rendered(file: string, data: unknown, format: Options['format'], wordpressVersion?: string) {
  try {
    const { document, warnings } = normaliseDocument(parseDocument(file, data))
    if (isEmpty(document)) throw emptyDocument()
    const { markup, warnings: more } = renderDocument(document, {
      format,
      media: new Map(),
      settings: renderSettingsSchema.parse({}),
      ...(wordpressVersion !== undefined && { wordpressVersion }),
    })
    return { markup, warnings: [...warnings, ...more] }
  } catch (error) {
    if (!(error instanceof GalleyError) || error instanceof CommandFailure) throw error
    if (!(error instanceof LimitError) && error.httpStatus !== 422) throw error
    throw new CommandFailure(exitCodes.usage, error.code, error.message, error)
  }
}
