import { readChoices, siteChoicesSchema } from '../../sites/choices.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** What a site has to choose from. */
export function siteChoiceEndpoints({
  database: { pool },
  keyring,
  outbound,
}: Pick<Services, 'database' | 'keyring' | 'outbound'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/sites/{uuid}/choices',
      operationId: 'getSiteChoices',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'Read what the settings of a site may name: its post types, authors, categories and languages',
      description: 'The site is asked; nothing is written.',
      params: uuidInPath,
      answers: { 200: { description: 'What it has.', schema: answerWith(siteChoicesSchema) } },
      failures: {
        404: 'No such site in this account.',
        422: 'The site cannot be asked: `error.code` and the sentence say why.',
      },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const found = await loadSite({ pool, keyring, outbound }, { accountId, id })
        if (found === null) throw siteUnknown({ accountId, id })
        return { status: 200, body: { success: true, data: await readChoices(found.open().client) } }
      },
    }),
  ]
}
