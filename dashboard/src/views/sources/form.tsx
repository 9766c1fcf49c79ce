import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Source } from '../../api/client.ts'
import { Checkbox, changed, Field, Form, Select } from '../../components/form.tsx'
import { labelsIn, labelText } from '../../components/label-text.ts'
import { type SitesAndLabels, SitesAndLabelsFields } from '../../components/site-choice.tsx'

/** Secrets of a source that are shown once: after its creation, or with a new address. */
export interface Shown {
  name: string
  url?: string
  /** Whether unsigned webhooks are refused. */
  signed: boolean
  signing_secret: string | null
}

interface SourceFormProps {
  /** Undefined for a new source. */
  source?: Source
  onDone(shown: Shown | undefined): void
  onCancel(): void
}

type Highest = Source['limits']['highest_status']

/** A form for a source's name, limits and upstream API. */
export function SourceForm({ source: now, onDone, onCancel }: SourceFormProps) {
  const [source] = useState(now)
  const queryClient = useQueryClient()
  const [name, setName] = useState(source?.name ?? '')
  const [limit, setLimit] = useState<SitesAndLabels>({
    sites: source?.limits.sites ?? [],
    labels: labelText(source?.limits.labels ?? []),
  })
  const [highest, setHighest] = useState<string>(source?.limits.highest_status ?? '')
  const [sign, setSign] = useState(false)
  const [upstream, setUpstream] = useState(source?.upstream_base_url ?? '')
  const [upstreamKey, setUpstreamKey] = useState('')
  const [confirm, setConfirm] = useState(source?.confirm ?? false)
  const [backfill, setBackfill] = useState(source?.backfill ?? false)
  const hasUpstream = upstream.trim() !== ''

  const wanted = {
    name: name.trim(),
    limits: {
      sites: limit.sites,
      labels: labelsIn(limit.labels),
      highest_status: (highest === '' ? null : highest) as Highest,
    },
    ...(hasUpstream && { upstream_base_url: upstream.trim() }),
    confirm: hasUpstream && confirm,
    backfill: hasUpstream && backfill,
  }
  const secrets = {
    ...(sign && { signing_secret: true as const }),
    ...(hasUpstream && upstreamKey !== '' && { upstream_api_key: upstreamKey }),
  }
  const save = useMutation({
    mutationFn: async (): Promise<Shown | undefined> => {
      if (!source) return (await call('createSource', { body: { ...wanted, ...secrets } })).data
      const changes = {
        ...changed(source, wanted),
        ...secrets,
        ...(!hasUpstream && source.upstream_base_url && { upstream_base_url: null }),
      }
      const { data } = await call('updateSource', { path: { uuid: source.id }, body: changes })
      return data.signing_secret === null ? undefined : data
    },
    onSuccess: async (shown) => {
      onDone(shown)
      await queryClient.invalidateQueries({ queryKey: ['sources'] })
    },
  })

  return (
    <Form
      submit={source ? __('Save', 'galley') : __('Create the address', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => save.mutate()}
      onCancel={onCancel}
    >
      <Field
        label={__('Sender', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        failure={save.error}
        path="body.name"
      />
      <SitesAndLabelsFields
        asked={{
          sites: __('Only to these sites (none chosen: to all)', 'galley'),
          labels: __('And to sites with one of these labels', 'galley'),
        }}
        value={limit}
        onChange={setLimit}
        failure={save.error}
        path="body.limits.labels"
      />
      <Select
        label={__('What a document may become', 'galley')}
        value={highest}
        onChange={setHighest}
        options={highestStatuses()}
      />
      <Checkbox
        label={
          source?.signed ? __('Create another signing secret', 'galley') : __('Require signatures', 'galley')
        }
        help={
          source?.signed
            ? __('The current one stays valid for 24 more hours.', 'galley')
            : __('A secret is created, and webhooks that are not signed with it are refused.', 'galley')
        }
        checked={sign}
        onChange={setSign}
      />
      <Field
        label={__('API that creates the documents', 'galley')}
        help={__('Its base address, such as https://api.example.com/v1. May be left out.', 'galley')}
        value={upstream}
        onChange={setUpstream}
        inputMode="url"
        autoComplete="off"
        dir="ltr"
        failure={save.error}
        path="body.upstream_base_url"
      />
      {hasUpstream && (
        <>
          <Field
            label={__('API key for it', 'galley')}
            help={source?.has_upstream_api_key ? __('Left empty, it stays as it is.', 'galley') : undefined}
            value={upstreamKey}
            onChange={setUpstreamKey}
            type="password"
            autoComplete="off"
            failure={save.error}
            path="body.upstream_api_key"
          />
          <Checkbox
            label={__('Confirm each document', 'galley')}
            help={__('The API is asked for it, and what it answers is delivered.', 'galley')}
            checked={confirm}
            onChange={setConfirm}
          />
          <Checkbox
            label={__('Fetch documents that were never announced', 'galley')}
            help={__('Galley asks for documents that were started but never sent.', 'galley')}
            checked={backfill}
            onChange={setBackfill}
          />
        </>
      )}
    </Form>
  )
}

/** The highest post status of a source's documents; "" is what the document asks for. */
export const highestStatuses = (): Record<string, string> => ({
  '': __('As the document asks', 'galley'),
  pending: __('Pending review at most', 'galley'),
  draft: __('Drafts only', 'galley'),
})
