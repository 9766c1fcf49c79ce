import { useQueryClient } from '@tanstack/react-query'
import type { Field } from '@wordpress/dataviews'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useMemo } from 'react'
import { labelsQuery } from '../data/sites.ts'
import { Labels } from './labels.tsx'

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
        const known = data.some(({ label }) => label === asked)
        const listed = known || asked === undefined ? data : [{ label: asked, site_count: 0 }, ...data]
        return listed
          .toSorted((one, other) => one.label.localeCompare(other.label))
          .map(({ label, site_count }) => ({ value: label, label, description: sites(site_count) }))
      },
      filterBy: { operators: ['is'], isPrimary: true },
      render: ({ item }) => <Labels labels={labelsOf(item)} />,
    }),
    [queryClient, labelsOf, asked],
  )
}

const sites = (count: number): string =>
  sprintf(
    // translators: %d: a number of sites
    _n('%d site', '%d sites', count, 'galley'),
    count,
  )
