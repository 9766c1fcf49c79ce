import './panel.css'
import { useQuery } from '@tanstack/react-query'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useDeferredValue, useState } from 'react'
import { formatLabels } from '../../../src/lib/label-list.ts'
import { useSession } from '../app/session-context.ts'
import { namedSiteQuery, sitesQuery } from '../data/sites.ts'
import { Checkbox, Choice, Field } from './form.tsx'
import { withNumber } from './format.ts'
import { labelsHelp } from './label-text.ts'
import { searchText } from './search-text.ts'

/** Sites that are offered; for more there is the search. */
const OFFERED = 10

/** Sites that are named in a summary. */
const NAMED = 3

interface SiteChoiceProps {
  legend: string
  chosen: string[]
  onChange(ids: string[]): void
}

/** A choice of sites, the chosen ones first. */
export function SiteChoice({ legend, chosen, onChange }: SiteChoiceProps) {
  const [search, setSearch] = useState('')
  const asked = useDeferredValue(searchText(search))
  const { data } = useQuery(sitesQuery({ limit: OFFERED, search: asked === '' ? undefined : asked }))
  const offered = data?.data.filter(({ id }) => !chosen.includes(id)) ?? []
  return (
    <Choice legend={legend}>
      <Field
        label={__('Search for a site', 'galley')}
        type="search"
        value={search}
        onChange={setSearch}
        autoComplete="off"
        // Enter searches, and does not submit the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <div className="g-choice-list g-choice-sites">
        {chosen.map((id) => (
          <ChosenSite key={id} id={id} onRemove={() => onChange(chosen.filter((one) => one !== id))} />
        ))}
        {offered.map(({ id, name, url }) => (
          <Checkbox
            key={id}
            label={name}
            help={url}
            checked={false}
            onChange={() => onChange([...chosen, id])}
          />
        ))}
        {data?.data.length === 0 && (
          <p className="g-weak">
            {asked === '' ? __('No site is connected yet', 'galley') : __('Nothing matches', 'galley')}
          </p>
        )}
        {data?.next_cursor != null && (
          <p className="g-weak">{__('There are more: search for the one you mean.', 'galley')}</p>
        )}
      </div>
    </Choice>
  )
}

function ChosenSite({ id, onRemove }: { id: string; onRemove(): void }) {
  const { data } = useQuery(namedSiteQuery(id))
  return <Checkbox label={data?.name ?? id} help={data?.url ?? '\u00a0'} checked onChange={onRemove} />
}

/** Sites by id, and by labels as people write them: `news, "Press, local"`. */
export interface SitesAndLabels {
  sites: string[]
  labels: string
}

interface SitesAndLabelsFieldsProps {
  /** The labels of the two fields; the second is left out without one. */
  asked: { sites: string; labels?: string }
  value: SitesAndLabels
  onChange(value: SitesAndLabels): void
  /** The path of the labels in the request. */
  path?: string
}

/** Two fields that choose sites. */
export function SitesAndLabelsFields({ asked, value, onChange, path }: SitesAndLabelsFieldsProps) {
  return (
    <>
      <SiteChoice
        legend={asked.sites}
        chosen={value.sites}
        onChange={(sites) => onChange({ ...value, sites })}
      />
      {asked.labels && (
        <Field
          label={asked.labels}
          help={labelsHelp()}
          value={value.labels}
          onChange={(labels) => onChange({ ...value, labels })}
          autoComplete="off"
          path={path}
        />
      )}
    </>
  )
}

interface LimitFieldsProps extends Omit<SitesAndLabelsFieldsProps, 'asked'> {
  /** The label of the second field. */
  labels: string
}

/** Two fields that limit something to sites. With a key that sees some sites only, it has to be for some of these. */
export function LimitFields({ labels, ...props }: LimitFieldsProps) {
  const asked = useSession().limited
    ? { sites: __('The sites that it is for', 'galley') }
    : { sites: __('Limit to these sites (leave empty for all)', 'galley'), labels }
  return <SitesAndLabelsFields asked={asked} {...props} />
}

/** The name of a site; its id while that is unknown, or when the site is gone. */
export function SiteName({ id }: { id: string }) {
  const { data } = useQuery(namedSiteQuery(id))
  return <>{data?.name ?? id}</>
}

/** A limit to sites, in words. */
export function SitesInWords({ sites, labels }: { sites: string[]; labels: string[] }) {
  if (sites.length === 0 && labels.length === 0) return <>{__('All sites', 'galley')}</>
  const more = sites.length - NAMED
  return (
    <>
      {sites.slice(0, NAMED).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <SiteName id={id} />
        </span>
      ))}
      {more > 0 &&
        ` ${withNumber(
          // translators: %d: how many sites beside those that are named
          _n('and %d more', 'and %d more', more, 'galley'),
          more,
        )}`}
      {sites.length > 0 && labels.length > 0 && ' · '}
      {labels.length > 0 &&
        sprintf(
          // translators: %s: labels of sites
          _n('Sites with the label %s', 'Sites with one of the labels %s', labels.length, 'galley'),
          formatLabels(labels),
        )}
    </>
  )
}
