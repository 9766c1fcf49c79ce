import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { deliveriesQuery } from '../data/deliveries.ts'
import { sitesQuery } from '../data/sites.ts'

interface Named {
  name: string
  /** The site of a delivery. */
  of?: string | undefined
}

/** The names of deliveries or sites by their ids, at most a page of them; what was removed has none. */
export function useNames(kind: 'deliveries' | 'sites', ids: string[]): Map<string, Named> {
  const [asked, limit] = [ids.length > 0, Math.max(ids.length, 1)]
  const deliveries = useQuery({
    ...deliveriesQuery({ delivery_id: ids, limit }),
    enabled: asked && kind === 'deliveries',
  })
  const sites = useQuery({ ...sitesQuery({ site_id: ids, limit }), enabled: asked && kind === 'sites' })
  if (kind === 'sites') return new Map(sites.data?.data.map(({ id, name }) => [id, { name }]))
  return new Map(
    deliveries.data?.data.map(({ id, title, site }) => [
      id,
      { name: title ?? __('(no title)', 'galley'), of: site?.name },
    ]),
  )
}
