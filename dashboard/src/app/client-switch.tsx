import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useEffect, useRef } from 'react'
import { labelsQuery } from '../data/sites.ts'
import { useMay } from './session-context.ts'

/** Views that can show the sites of one label alone. Their address has it. */
const NARROWED: ReadonlySet<string> = new Set(['/', '/sites', '/deliveries'])

/** The search of the address that leads to a view, for those that a label narrows. */
export const searchOf = (to: string, label: string): { label: string } | undefined =>
  label !== '' && NARROWED.has(to) ? { label } : undefined

/** The label that narrows what is shown, empty for all; kept while other views are looked at. */
export function useClientLabel(): string {
  const shown = useRouterState({
    select: ({ location: { pathname, search } }) =>
      NARROWED.has(pathname) ? ((search as { label?: string }).label ?? '') : undefined,
  })
  const kept = useRef('')
  if (shown !== undefined) kept.current = shown
  return kept.current
}

/** Whether sites had labels when this browser last knew: the choice has its room before the labels come. */
const HAD_LABELS_KEY = 'galley.labels'

/** Chooses one client of an agency: Start, sites and deliveries of the sites with a label. Nothing where no site has one. */
export function ClientSwitch({ label, pathname }: { label: string; pathname: string }) {
  const navigate = useNavigate()
  const { data } = useQuery({ ...labelsQuery(), enabled: useMay('sites.read') })
  const labels = data?.data.map((one) => one.label) ?? []
  useEffect(() => {
    if (data) localStorage.setItem(HAD_LABELS_KEY, String(data.data.length > 0))
  }, [data])
  const hadLabels = localStorage.getItem(HAD_LABELS_KEY) === 'true'
  if (labels.length === 0 && label === '' && (data !== undefined || !hadLabels)) return null
  const sorted = [...new Set([...labels, ...(label === '' ? [] : [label])])].sort((one, other) =>
    one.localeCompare(other, undefined, { numeric: true }),
  )
  const choose = (chosen: string) => {
    const search = { label: chosen === '' ? undefined : chosen }
    if (!NARROWED.has(pathname)) return navigate({ to: '/', search } as never)
    return navigate({
      to: '.',
      search: ((before: object) => ({ ...before, cursor: undefined, ...search })) as never,
    })
  }
  return (
    <select
      aria-label={__('Show the sites with a label', 'galley')}
      title={label || undefined}
      value={label}
      onChange={({ target }) => void choose(target.value)}
    >
      <option value="">{__('All sites', 'galley')}</option>
      {sorted.map((one) => (
        <option key={one}>{one}</option>
      ))}
      {data?.more && <option disabled>{__('Only the most used labels are listed', 'galley')}</option>}
    </select>
  )
}
