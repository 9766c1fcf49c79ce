import { useQueryClient } from '@tanstack/react-query'
import type { Field } from '@wordpress/dataviews'
import { __, _n } from '@wordpress/i18n'
import { useMemo } from 'react'
import type { Label } from '../api/client.ts'
import { labelsQuery } from '../data/sites.ts'
import { Labels } from './labels.tsx'
import { withNumber } from './number.ts'

/**
 * A column of the labels that a site has, and the filter by one of them.
 *
 * @param asked the label that is looked for, which no site may have any more
 */
export function useLabelField<Item>(
  labelsOf: (item: Item) => readonly string[],
  asked: string | undefined,
): Field<Item> {
  const queryClient = useQueryClient()
  return useMemo(
    () => ({
      id: 'label',
      label: __('Label', 'galley'),
      enableSorting: false,
      getElements: async () => {
        const { data } = await queryClient.fetchQuery(labelsQuery())
        const others = data.filter(({ label }) => label !== asked).sort(byLabel)
        const chosen = asked === undefined ? [] : [data.find(({ label }) => label === asked) ?? gone(asked)]
        return [...chosen, ...others].map(({ label, site_count }) => ({
          value: label,
          label,
          description: sites(site_count),
        }))
      },
      filterBy: { operators: ['is'], isPrimary: true },
      render: ({ item }) => <Labels labels={labelsOf(item)} />,
    }),
    [queryClient, labelsOf, asked],
  )
}

const gone = (label: string): Label => ({ label, site_count: 0 })

const byLabel = (one: Label, other: Label): number =>
  one.label.localeCompare(other.label, undefined, { numeric: true })

const sites = (count: number): string =>
  withNumber(
    // translators: %d: a number of sites
    _n('%d site', '%d sites', count, 'galley'),
    count,
  )
