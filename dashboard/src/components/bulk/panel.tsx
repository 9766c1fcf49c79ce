import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { parseLabels } from '../../../../src/lib/label-list.ts'
import { call, type SiteSettingsPatch } from '../../api/client.ts'
import type { BulkAction, BulkRequest } from '../../data/bulk.ts'
import { type DeliveryQuery, deliveriesQuery } from '../../data/deliveries.ts'
import { type SiteQuery, sitesQuery } from '../../data/sites.ts'
import { Field, Form, Radios, Select } from '../form.tsx'
import { labelsHelp } from '../label-text.ts'
import { Panel } from '../panel.tsx'
import { SiteChoice } from '../site-choice.tsx'
import { SettingSelects } from '../site-settings.tsx'
import { type Named, NamedFields, namedPatch } from './named-settings.tsx'
import { actionsOn, bulkActions, countOf, type Kind } from './words.ts'

type Filter = Record<string, unknown>

interface BulkPanelProps {
  kind: Kind
  /** The list's filter, in the API's terms. */
  filter: Filter
  /** The ids of the selected rows. */
  chosen: readonly string[]
  action?: BulkAction | undefined
  onClose(): void
}

/** A form for a bulk action on the selected rows, or on all that match. It starts a dry run, whose page starts the action itself. */
export function BulkPanel({ kind, filter, chosen, action: requested, onClose }: BulkPanelProps) {
  const navigate = useNavigate()
  const actions = actionsOn(kind)
  const [action, setAction] = useState(requested ?? actions[0] ?? 'retry')
  const [all, setAll] = useState(chosen.length === 0)
  const [given, setGiven] = useState(nothingGiven)
  const matching = useMatching(kind, action, filter)
  const parameters = parametersOf(action, given)
  const look = useMutation({
    mutationFn: async () =>
      call('createBulk', {
        body: {
          action,
          filter: all ? allOf(kind, action, filter) : thoseOf(kind, chosen),
          parameters,
          dry_run: true,
        } as BulkRequest,
      }),
    onSuccess: ({ id }) => navigate({ to: '/bulk/$id', params: { id } as never }),
  })
  const scopes = [
    {
      value: 'all',
      label: allInWords(kind, action, filter, matching ?? '…'),
      help: __('On every page, with this search and these filters.', 'galley'),
    },
    {
      value: 'chosen',
      // translators: %s: a count with its noun, such as 3 deliveries
      label: sprintf(__('Those selected: %s', 'galley'), countOf(kind, chosen.length)),
    },
  ]
  return (
    <Panel
      title={
        kind === 'deliveries'
          ? __('Bulk action on deliveries', 'galley')
          : __('Bulk action on sites', 'galley')
      }
    >
      <Form
        submit={__('Start a dry run', 'galley')}
        mutation={look}
        incomplete={parameters === undefined}
        onCancel={onClose}
      >
        <Radios
          legend={__('Apply to', 'galley')}
          value={all ? 'all' : 'chosen'}
          onChange={(scope) => setAll(scope === 'all')}
          options={chosen.length === 0 ? scopes.slice(0, 1) : scopes}
        />
        <Radios<BulkAction>
          legend={__('Action', 'galley')}
          value={action}
          onChange={setAction}
          options={actions.map((value) => ({
            value,
            label: bulkActions[value].label(),
            help: bulkActions[value].does(),
          }))}
        />
        <Parameters action={action} given={given} onChange={setGiven} />
        <p className="g-weak">
          {__(
            'First you see how many it would be, and what would be refused. Nothing is changed yet.',
            'galley',
          )}
        </p>
      </Form>
    </Panel>
  )
}

/** What a filter of deliveries without a status means here, also for the count. */
const open = ['queued', 'waiting', 'delivering', 'held', 'failed'] as const

const allOf = (kind: Kind, action: BulkAction, filter: Filter): Filter =>
  kind === 'sites'
    ? filter
    : { ...filter, status: filter.status ?? (action === 'withdraw' ? 'delivered' : open) }

function allInWords(kind: Kind, action: BulkAction, { status }: Filter, count: string): string {
  // translators: %s: a count with its noun, such as 214 deliveries
  if (kind === 'sites' || status !== undefined) return sprintf(__('All that match: %s', 'galley'), count)
  return action === 'withdraw'
    ? // translators: %s: a count with its noun, such as 214 deliveries
      sprintf(__('All that match and are delivered: %s', 'galley'), count)
    : // translators: %s: a count with its noun, such as 214 deliveries
      sprintf(__('All that match and are not done: %s', 'galley'), count)
}

/** A selected delivery is meant whatever its status. */
const thoseOf = (kind: Kind, ids: readonly string[]): Filter =>
  kind === 'sites'
    ? { site_id: ids }
    : { delivery_id: ids, status: [...open, 'delivered', 'cancelled', 'kept', 'withdrawn'] }

/** The number of matches, in words; undefined until it is known. */
function useMatching(kind: Kind, action: BulkAction, filter: Filter): string | undefined {
  const asked: DeliveryQuery & SiteQuery = {
    ...(allOf(kind, action, filter) as object),
    limit: 1,
    total: 'true',
  }
  const deliveries = useQuery({ ...deliveriesQuery(asked), enabled: kind === 'deliveries' })
  const sites = useQuery({ ...sitesQuery(asked), enabled: kind === 'sites' })
  if (kind === 'sites') return sites.data?.total === undefined ? undefined : countOf(kind, sites.data.total)
  const total = deliveries.data?.total
  if (total === undefined) return undefined
  return total.more
    ? // translators: %s: a count with its noun, such as 10,000 deliveries
      sprintf(__('more than %s', 'galley'), countOf(kind, total.count))
    : countOf(kind, total.count)
}

/** The values of all actions' fields. */
export interface Given {
  siteId: string | undefined
  add: string
  remove: string
  reason: string
  settings: SiteSettingsPatch
  named: Named
  /** "" is what the document, its source or the site says. */
  onLoss: string
  /** Where posts are withdrawn to. */
  to: string
  /** What becomes of posts that people edited: `keep`, or `force`. */
  edited: string
}

const nothingGiven: Given = {
  siteId: undefined,
  add: '',
  remove: '',
  reason: '',
  settings: {},
  named: {},
  onLoss: '',
  to: 'draft',
  edited: 'keep',
}

interface ParametersProps {
  action: BulkAction
  given: Given
  onChange(given: Given): void
}

/** The fields of an action; most have none. */
function Parameters({ action, given, onChange }: ParametersProps) {
  const field = (name: 'add' | 'remove' | 'reason', label: string, help?: string) => (
    <Field
      label={label}
      {...(help !== undefined && { help })}
      value={given[name]}
      onChange={(text) => onChange({ ...given, [name]: text })}
      autoComplete="off"
    />
  )
  if (action === 'move')
    return (
      <SiteChoice
        legend={__('Target site', 'galley')}
        chosen={given.siteId === undefined ? [] : [given.siteId]}
        // One at a time: the newest choice.
        onChange={(ids) => onChange({ ...given, siteId: ids.at(-1) })}
      />
    )
  if (action === 'retry' || action === 'release')
    return (
      <Select
        label={__('Where something is missing', 'galley')}
        value={given.onLoss}
        onChange={(onLoss) => onChange({ ...given, onLoss })}
        options={{
          '': __('As the document, its source or the site says', 'galley'),
          publish: __('Deliver anyway', 'galley'),
          draft: __('Deliver as a draft', 'galley'),
        }}
      />
    )
  if (action === 'withdraw')
    return (
      <>
        <Select
          label={__('The posts go', 'galley')}
          value={given.to}
          onChange={(to) => onChange({ ...given, to })}
          options={{
            draft: __('back to draft', 'galley'),
            trash: __('to the trash', 'galley'),
          }}
        />
        <Select
          label={__('Posts that people edited', 'galley')}
          value={given.edited}
          onChange={(edited) => onChange({ ...given, edited })}
          options={{
            keep: __('stay, and wait for you', 'galley'),
            force: __('are withdrawn anyway, with what was edited', 'galley'),
          }}
        />
      </>
    )
  if (action === 'label')
    return (
      <>
        {field('add', __('Labels to add', 'galley'), labelsHelp())}
        {field('remove', __('Labels to remove', 'galley'))}
      </>
    )
  if (action === 'pause') return field('reason', __('Why, for others to read', 'galley'))
  if (action === 'settings')
    return (
      <>
        <NamedFields named={given.named} onChange={(named) => onChange({ ...given, named })} />
        <SettingSelects
          settings={given.settings}
          onChange={(settings) => onChange({ ...given, settings })}
          many
        />
      </>
    )
  return null
}

/** The API's parameters; undefined while something is missing. */
function parametersOf(action: BulkAction, given: Given): Record<string, unknown> | undefined {
  const { siteId } = given
  const [add, remove, reason] = [parseLabels(given.add), parseLabels(given.remove), given.reason.trim()]
  if (action === 'move') return siteId === undefined ? undefined : { site_id: siteId }
  if (action === 'label') return add.length + remove.length === 0 ? undefined : { add, remove }
  if (action === 'settings') {
    const named = namedPatch(given.named)
    const settings = { ...named, ...given.settings }
    return named === undefined || Object.keys(settings).length === 0 ? undefined : settings
  }
  if (action === 'retry' || action === 'release') return given.onLoss === '' ? {} : { on_loss: given.onLoss }
  if (action === 'withdraw') return { to: given.to, ...(given.edited === 'force' && { force: true }) }
  if (action === 'pause') return reason === '' ? {} : { reason }
  return {}
}
