import { onTestFinished } from 'vitest'
import { probeDraft } from '../../src/wordpress/doctor/probes/draft.ts'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import type { DeliveryData } from '../support/galley.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { findPosts, misbehavingSite, type RestItem, rest } from '../support/wordpress/index.ts'
import { clientAs, unique } from '../wordpress/site.ts'
import type { DeliveryStage } from './stage.ts'

/** A lane to the real WordPress, where it behaves as with that plugin (test/wordpress/galley-test.php). */
export async function laneWith(
  stage: DeliveryStage,
  plugin: string,
  settings: object = {},
): Promise<Lane & { url: string }> {
  const site = await misbehavingSite(plugin)
  onTestFinished(() => site.close())
  const lane = await stage.lane('editor', settings)
  lane.proxy.rule({}, withHeaders({ 'x-galley-test': plugin }))
  return { ...lane, url: site.url }
}

/** As {@link laneWith}, and the answer to the first creation at that path is lost. @returns `made()`: how many there were */
export async function losingLane(
  stage: DeliveryStage,
  plugin: string,
  path = '/wp/v2/posts',
  meanwhile = () => {},
): Promise<Lane & { made: () => number }> {
  const { siteId, proxy } = await laneWith(stage, plugin)
  let made = 0
  proxy.clear()
  proxy.rule(
    {},
    {
      name: `${plugin}, answer lost once`,
      async apply({ forward, reply, reset, request }) {
        const answer = await forward({ headers: { ...request.headers, 'x-galley-test': plugin } })
        const creates = request.method === 'POST' && request.path === path && answer.status === 201
        if (!creates || made++ > 0) return reply(answer)
        meanwhile()
        reset()
      },
    },
  )
  return { siteId, proxy, made: () => made }
}

/** What the doctor finds wrong by its draft, and by nothing else, on a site with that plugin; and what it leaves there. */
export async function draftFindingsWith(plugin: string): Promise<{ findings: Finding[]; left: RestItem[] }> {
  const site = await misbehavingSite(plugin)
  onTestFinished(() => site.close())
  const client = clientAs('editor', { restRoot: `${site.url}/wp-json/` })
  const marker = unique('galley-check')
  const { findings } = await probeDraft(client, { postType: 'posts', marker }, async () => undefined)
  const left: RestItem[] = []
  for (const type of ['posts', 'pages'])
    left.push(
      ...(await rest<RestItem[]>(
        'administrator',
        'GET',
        `/wp/v2/${type}?context=edit&status=any&search=Galley+connection+check`,
      )),
    )
  // What another test has left there is not this one's.
  const ownLeft = left.filter(({ title }) => (title as { raw: string }).raw.includes(marker.slice(-12)))
  return { findings: findings.filter(({ level }) => level !== 'ok'), left: ownLeft }
}

export const codesOf = ({ warnings }: Pick<DeliveryData, 'warnings'>): string[] =>
  warnings.map(({ code }) => code)

/** Whatever stands on the site for a document. */
export const postsOf = async ({ title }: Pick<FaultDocument, 'title'>): Promise<RestItem[]> =>
  (await findPosts(`search=${encodeURIComponent(title)}`)).filter(
    (post) => (post.title as { raw: string }).raw === title,
  )

interface Finding {
  check: string
  level: string
  seen: string
}

/** What the examination of a site says that is not in order, the address of the test aside. */
export async function findingsOf({ galley }: DeliveryStage, siteId: string): Promise<Finding[]> {
  const { body } = await galley.call<{ data: { findings: Finding[] } }>('POST', `/v1/sites/${siteId}/check`)
  return body.data.findings.filter(
    ({ check, level }) => level !== 'ok' && !['encryption', 'address'].includes(check),
  )
}
