import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import { formatLabels } from '../../../../src/lib/label-list.ts'
import type { BulkJob, SiteSettingsPatch } from '../../api/client.ts'
import { namedSettings } from '../../components/bulk/named-settings.tsx'
import { bulkActions, countOf } from '../../components/bulk/words.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { postStatusInWords } from '../../components/post-words.ts'
import { SitesInWords } from '../../components/site-choice.tsx'
import { settingChoices } from '../../components/site-settings.tsx'
import { deliveryStates, siteStates } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { severityWords } from '../../components/warnings.tsx'

/** The filter and the parameters of a job. */
export function JobInWords({ job: { action, filter, parameters } }: { job: BulkJob }) {
  const { kind, does } = bulkActions[action]
  const which = membersInWords(filter)
  return (
    <section className="g-card g-section">
      <h2>{__('Action and selection', 'galley')}</h2>
      <Facts>
        <Fact label={bulkActions[action].label()}>{does()}</Fact>
        {membersInWords(parameters).map(({ name, label, said }) => (
          <Fact key={name} label={name === 'site_id' ? __('Target site', 'galley') : label}>
            {said}
          </Fact>
        ))}
        {which.length === 0 && (
          <Fact label={__('Selection', 'galley')}>
            {kind === 'sites' ? __('All sites', 'galley') : __('All deliveries', 'galley')}
          </Fact>
        )}
        {which.map(({ name, label, said }) => (
          <Fact key={name} label={label}>
            {said}
          </Fact>
        ))}
      </Facts>
    </section>
  )
}

/** The members of a filter or of parameters, without empty ones. */
const membersInWords = (members: Record<string, unknown>) =>
  Object.entries(members)
    .filter(([name, value]) => name in namedSettings || listOf(value).some((one) => one !== ''))
    .map(([name, value]) => ({
      name,
      label: labels[name]?.() ?? name,
      said: saying[name]?.(value) ?? asText(value),
    }))

const listOf = (value: unknown): string[] => [value].flat().map(String)

const asText = (value: unknown): string =>
  Array.isArray(value) ? formatLabels(listOf(value)) : String(value)

const labels: Record<string, () => string> = {
  delivery_id: () => __('Selected one by one', 'galley'),
  site_id: () => __('Site', 'galley'),
  status: () => __('Status', 'galley'),
  state: () => __('State', 'galley'),
  trouble: () => __('Problem', 'galley'),
  finding: () => __('Problem', 'galley'),
  label: () => __('Label', 'galley'),
  code: () => __('Problem', 'galley'),
  severity: () => __('Warnings', 'galley'),
  warning: () => __('Warnings', 'galley'),
  post_status: () => __('In WordPress', 'galley'),
  document_id: () => __('Document', 'galley'),
  title: () => __('Search', 'galley'),
  search: () => __('Search', 'galley'),
  created_from: () => __('Received since', 'galley'),
  add: () => __('Labels to add', 'galley'),
  remove: () => __('Labels to remove', 'galley'),
  reason: () => __('Why', 'galley'),
  bulk_id: () => __('Action', 'galley'),
  to: () => __('The posts go', 'galley'),
  force: () => __('Posts that people edited', 'galley'),
  ...Object.fromEntries(
    Object.entries({ ...settingChoices, ...namedSettings }).map(([name, { label }]) => [name, label]),
  ),
}

const states: Record<string, { label: () => string }> = { ...deliveryStates, ...siteStates }

const statesInWords = (value: unknown): string =>
  listOf(value)
    .map((state) => states[state]?.label() ?? state)
    .join(', ')

const saying: Record<string, (value: unknown) => ReactNode> = {
  delivery_id: (value) => countOf('deliveries', listOf(value).length),
  site_id: (value) => <SitesInWords sites={listOf(value)} labels={[]} />,
  code: () => __('Only deliveries with the same problem.', 'galley'),
  trouble: () => __('Only sites with the same problem.', 'galley'),
  finding: () => __('Only sites with the same problem.', 'galley'),
  status: statesInWords,
  state: statesInWords,
  severity: (value) => severityWords[value as keyof typeof severityWords].label(),
  warning: () => __('Only those with the same warning.', 'galley'),
  post_status: (value) => listOf(value).map(postStatusInWords).join(', '),
  document_id: () => __('Only those of one document.', 'galley'),
  to: (value) => (value === 'trash' ? __('to the trash', 'galley') : __('back to draft', 'galley')),
  force: (value) =>
    value
      ? __('are withdrawn anyway, with what was edited', 'galley')
      : __('stay, and wait for you', 'galley'),
  bulk_id: (value) => (
    <Link to="/bulk/$id" params={{ id: value } as never}>
      {__('What it undoes', 'galley')}
    </Link>
  ),
  created_from: (value) => <Time at={String(value)} exact />,
  ...Object.fromEntries(
    Object.entries(namedSettings).map(([name, { none }]) => [
      name,
      (value: unknown) => (value === null || listOf(value).length === 0 ? none() : asText(value)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(settingChoices).map(([name, { options }]) => [
      name,
      (value: unknown) =>
        (options as Record<string, () => string>)[String(value as SiteSettingsPatch['format'])]?.() ??
        String(value),
    ]),
  ),
}
