import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { BulkAction, BulkRequest } from '../../data/bulk.ts'
import { type DeliveryQuery, deliveriesQuery } from '../../data/deliveries.ts'
import { type SiteQuery, sitesQuery } from '../../data/sites.ts'
import { Form } from '../form.tsx'
import { Panel } from '../panel.tsx'
import { Radios } from '../radios.tsx'
import { nothingGiven, Parameters, parametersOf } from './parameters.tsx'
import { actionsOn, bulkActions, countOf, type Kind } from './words.ts'

type Filter = Record<string, unknown>

export interface BulkPanelProps {
  kind: Kind
  /** What the list shows, as the API filters. */
  filter: Filter
  /** Ids of those that were chosen one by one. */
  chosen: readonly string[]
  action?: BulkAction | undefined
  onClose(): void
}

/**
 * Does one thing to those that are chosen, or to all that match, however many pages they fill. What it would do is looked at
 * first, on a page of its own, from where it is then done.
 */
export function BulkPanel({ kind, filter, chosen, action: requested, onClose }: BulkPanelProps) {
  const navigate = useNavigate()
  const actions = actionsOn(kind)
  const [action, setAction] = useState(requested ?? actions[0] ?? 'retry')
  const [all, setAll] = useState(chosen.length === 0)
  const [given, setGiven] = useState(nothingGiven)
  const matching = useMatching(kind, filter)
  const parameters = parametersOf(action, given)
  const look = useMutation({
    mutationFn: async () =>
      call('createBulk', {
        body: {
          action,
          filter: all ? allOf(kind, filter) : thoseOf(kind, chosen),
          parameters,
          dry_run: true,
        } as BulkRequest,
      }),
    onSuccess: ({ id }) => navigate({ to: '/bulk/$id', params: { id } as never }),
  })
  const scopes = [
    {
      value: 'all',
      label: sprintf(
        // translators: %s: a count with its noun, such as 214 deliveries
        __('Everything that matches: %s', 'galley'),
        matching ?? '…',
      ),
      help:
        kind === 'deliveries' && filter.status === undefined
          ? __(
              'On every page, with this search and these filters; none that is delivered or cancelled.',
              'galley',
            )
          : __('On every page, with this search and these filters.', 'galley'),
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
        failure={look.error}
        pending={look.isPending}
        incomplete={parameters === undefined}
        onSubmit={() => look.mutate()}
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

/** What a filter of deliveries that names no status means here, and so also what is counted. */
const open = ['queued', 'delivering', 'held', 'failed'] as const

const allOf = (kind: Kind, filter: Filter): Filter =>
  kind === 'sites' ? filter : { ...filter, status: filter.status ?? open }

/** Whoever chose a delivery means it, whatever became of it. */
const thoseOf = (kind: Kind, ids: readonly string[]): Filter =>
  kind === 'sites' ? { site_id: ids } : { delivery_id: ids, status: [...open, 'delivered', 'cancelled'] }

/** How many match, in words; undefined while that is not known. */
function useMatching(kind: Kind, filter: Filter): string | undefined {
  const asked: DeliveryQuery & SiteQuery = { ...(allOf(kind, filter) as object), limit: 1, total: 'true' }
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
