import { call, type MatrixRow } from '../../api/client.ts'
import type { MatrixRequest } from './matrix-form.tsx'

/** Sites of one request: few enough that something is seen soon, and many enough that a picture is not fetched for each. */
const AT_A_TIME = 24

/** Of one page of sites. */
const PAGE = 100

export interface NamedSite {
  id: string
  name: string
}

/** The sites that are meant, each once, by their names. */
export async function sitesOf(
  { siteIds, labels, all }: MatrixRequest,
  signal: AbortSignal,
): Promise<NamedSite[]> {
  const found = new Map<string, NamedSite>()
  const queries = all
    ? [{}]
    : [...(siteIds.length > 0 ? [{ site_id: siteIds }] : []), ...labels.map((label) => ({ label }))]
  for (const query of queries) {
    let cursor: string | undefined
    do {
      const page = await call('listSites', { query: { ...query, limit: PAGE, cursor } }, signal)
      for (const { id, name } of page.data) found.set(id, { id, name })
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }
  return [...found.values()]
}

/** What each would make of it, some at a time, as they come. Those for which there was no time are asked again. */
export async function* previewAll(
  { given: { data }, delivery }: MatrixRequest,
  siteIds: string[],
  signal: AbortSignal,
): AsyncGenerator<MatrixRow[]> {
  let left = siteIds
  while (left.length > 0) {
    const [asked, others] = [left.slice(0, AT_A_TIME), left.slice(AT_A_TIME)]
    const { data: rows } = await call('previewMatrix', { body: { data, delivery, site_ids: asked } }, signal)
    const not = rows.filter(({ outcome }) => outcome === 'not_asked')
    // Nobody had time for any of them: there will not be any in a moment either.
    if (not.length === rows.length) return yield rows
    left = [...others, ...not.map(({ site_id }) => site_id)]
    yield rows.filter(({ outcome }) => outcome !== 'not_asked')
  }
}
