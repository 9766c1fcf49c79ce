import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { formatLabels, parseLabels } from '../../../../src/lib/label-list.ts'
import { call, type Operations, type Source } from '../../api/client.ts'
import { useSession } from '../../app/session-context.ts'
import { Checkbox, changed, Field, Form, Select } from '../../components/form.tsx'
import { Group } from '../../components/group.tsx'
import { labelsHelp } from '../../components/label-text.ts'
import { type Inputs, inputsOf, valuesOf } from '../../components/post-fields/inputs.ts'
import { formsOf, MoreFields, TermFields } from '../../components/post-fields/post-fields.tsx'
import { sourceDefaultFields } from '../../components/post-fields/table.ts'
import { postStatusInWords } from '../../components/post-words.ts'
import { LimitFields, SiteChoice, type SitesAndLabels, SitesInWords } from '../../components/site-choice.tsx'

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
    labels: formatLabels(source?.limits.labels ?? []),
  })
  const [highest, setHighest] = useState<string>(limitOf(source))
  const [defaults, setDefaults] = useState<Defaults>(() => {
    const { categories = [], tags = [], ...others } = source?.defaults ?? {}
    const { post_status, on_loss, canonical, content_format, text_format } = others
    return {
      ...{ post_status, on_loss, content_format, text_format },
      // `none` is as where absent.
      canonical: canonical === 'none' ? '' : canonical,
      ...{ categories: formatLabels(categories), tags: formatLabels(tags) },
    }
  })
  const [fields, setFields] = useState(() => inputsOf(defaultForms, source?.defaults ?? {}))
  const [place, setPlace] = useState<Place>(() => placeOf(source))
  const [sign, setSign] = useState(false)
  const [upstream, setUpstream] = useState(source?.upstream_base_url ?? '')
  const [upstreamKey, setUpstreamKey] = useState('')
  const [confirm, setConfirm] = useState(source?.confirm ?? false)
  const [backfill, setBackfill] = useState(source?.backfill ?? false)
  const hasUpstream = upstream.trim() !== ''
  const needsSites = useSession().limited && limit.sites.length === 0

  const wanted = {
    name: name.trim(),
    limits: {
      sites: limit.sites,
      labels: parseLabels(limit.labels),
      highest_status: (highest === '' ? null : highest) as Highest,
    },
    defaults: wantedDefaults(source, defaults, place, fields),
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
      if (!source) {
        const body = { ...wanted, ...secrets }
        return (await call('createSource', { body })).data
      }
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
      mutation={save}
      incomplete={name.trim() === '' || needsSites || isPlaceMissing(place)}
      onCancel={onCancel}
    >
      <Field
        label={__('Sender', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        path="body.name"
      />
      <PlaceFields value={place} onChange={setPlace} />
      <Group
        title={__('Limits', 'galley')}
        chosen={
          <>
            {needsSites ? (
              __('No site is chosen yet', 'galley')
            ) : (
              <SitesInWords sites={limit.sites} labels={parseLabels(limit.labels)} />
            )}
            {highest !== '' && ` · ${highestStatuses()[highest]}`}
          </>
        }
        paths={['body.limits']}
        opened={needsSites}
      >
        <LimitFields
          labels={__('And to sites with one of these labels', 'galley')}
          value={limit}
          onChange={setLimit}
          path="body.limits.labels"
        />
        <Select
          label={__('What a document may become', 'galley')}
          value={highest}
          onChange={setHighest}
          options={highestStatuses()}
        />
      </Group>
      <DefaultsFields value={defaults} onChange={setDefaults} />
      <MoreFields names={sourceDefaultFields} inputs={fields} onChange={setFields} path="body.defaults" />
      <Group
        title={__('Signatures and origin', 'galley')}
        chosen={source?.signed || sign ? __('Signed', 'galley') : upstream}
        paths={['body.signing_secret', 'body.upstream_base_url', 'body.upstream_api_key']}
        guide="contract.md#signatures"
      >
        <Checkbox
          label={
            source?.signed
              ? __('Create another signing secret', 'galley')
              : __('Require signatures', 'galley')
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
          guide="contract.md#confirmation"
          value={upstream}
          onChange={setUpstream}
          inputMode="url"
          autoComplete="off"
          dir="ltr"
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
      </Group>
    </Form>
  )
}

/** The highest post status of a source's documents; "" where nothing is limited, as where they may be published. */
export const limitOf = (source: Source | undefined): string => {
  const { highest_status: highest = null } = source?.limits ?? {}
  return highest === null || highest === 'publish' ? '' : highest
}

/** The limits in words. */
export const highestStatuses = (): Record<string, string> => ({
  '': __('As the document asks', 'galley'),
  pending: __('Pending review at most', 'galley'),
  draft: __('Drafts only', 'galley'),
})

type Choices = Pick<
  Source['defaults'],
  'post_status' | 'on_loss' | 'canonical' | 'content_format' | 'text_format'
>

/** What documents get that leave it out; terms as people write them. */
type Defaults = { [Name in keyof Choices]?: string | undefined } & { categories: string; tags: string }

/** Where a document goes that names no site: `''` is nowhere. */
interface Place {
  kind: '' | 'site' | 'labels'
  sites: string[]
  labels: string
}

function placeOf(source: Source | undefined): Place {
  const { site_id, labels } = source?.defaults ?? {}
  const kind = site_id !== undefined ? 'site' : labels !== undefined ? 'labels' : ''
  return { kind, sites: site_id === undefined ? [] : [site_id], labels: formatLabels(labels ?? []) }
}

/** Whether a document that names no site is to go somewhere, and nobody has said where. */
const isPlaceMissing = ({ kind, sites, labels }: Place): boolean =>
  (kind === 'site' && sites.length === 0) || (kind === 'labels' && parseLabels(labels).length === 0)

function PlaceFields({ value, onChange }: { value: Place; onChange(value: Place): void }) {
  return (
    <>
      <Select
        label={__('A document that names no site', 'galley')}
        guide="api.md#receiving-documents"
        value={value.kind}
        onChange={(kind) => onChange({ ...value, kind: kind as Place['kind'] })}
        options={{
          '': __('Is kept, and goes nowhere', 'galley'),
          site: __('Goes to one site', 'galley'),
          labels: __('Goes to all sites with a label', 'galley'),
        }}
      />
      {value.kind === 'site' && (
        <SiteChoice
          legend={__('It goes to', 'galley')}
          chosen={value.sites}
          onChange={(sites) => onChange({ ...value, sites: sites.slice(-1) })}
        />
      )}
      {value.kind === 'labels' && (
        <Field
          label={__('It goes to sites with one of these labels', 'galley')}
          help={labelsHelp()}
          value={value.labels}
          onChange={(labels) => onChange({ ...value, labels })}
          autoComplete="off"
          path="body.defaults.labels"
        />
      )}
    </>
  )
}

const defaultForms = formsOf(sourceDefaultFields)

/** All defaults of a source. */
function wantedDefaults(
  source: Source | undefined,
  { categories, tags, ...choices }: Defaults,
  { kind, sites, labels }: Place,
  fields: Inputs,
): NonNullable<Operations['createSource']['body']['defaults']> {
  const asked = {
    ...choices,
    ...valuesOf(defaultForms, fields, source?.defaults),
    site_id: kind === 'site' ? sites[0] : undefined,
    labels: kind === 'labels' ? parseLabels(labels) : undefined,
    categories: parseLabels(categories),
    tags: parseLabels(tags),
  }
  const isSaid = (value: unknown) => value !== undefined && value !== '' && [value].flat().length > 0
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => isSaid(value)))
}

interface DefaultsFieldsProps {
  value: Defaults
  onChange(value: Defaults): void
}

/** What a document gets that does not say it itself. */
function DefaultsFields({ value, onChange }: DefaultsFieldsProps) {
  const { canonical = '' } = value
  const select = (name: keyof Choices, label: string, options: Record<string, string>) => (
    <Select
      label={label}
      value={value[name] ?? ''}
      onChange={(next) => onChange({ ...value, [name]: next })}
      options={options}
      path={`body.defaults.${name}`}
    />
  )
  return (
    <Group
      title={__('What a document gets that leaves it out', 'galley')}
      chosen={postStatusInWords(value.post_status || 'draft')}
      paths={Object.keys(value).map((name) => `body.defaults.${name}`)}
      guide="documents.md#other-formats"
    >
      {select('post_status', __('Post status', 'galley'), {
        '': postStatusInWords('draft'),
        pending: postStatusInWords('pending'),
        publish: postStatusInWords('publish'),
      })}
      {select('on_loss', __('A document of which something would be missing', 'galley'), {
        '': __('As its site says', 'galley'),
        publish: __('It is published as asked for', 'galley'),
        draft: __('It becomes a draft', 'galley'),
        hold: __('Waiting for you', 'galley'),
      })}
      {select(
        'canonical',
        __('For search engines, the original of a document on several sites is', 'galley'),
        {
          '': __('Each post itself', 'galley'),
          first: __('Its first public post', 'galley'),
          // An address that was set over the API.
          ...(canonical !== '' && canonical !== 'first' && { [canonical]: canonical }),
        },
      )}
      <TermFields terms={value} onChange={(terms) => onChange({ ...value, ...terms })} path="body.defaults" />
      {select('content_format', __('Its documents are written in', 'galley'), {
        '': __('Galley’s own format, or found out by its signs', 'galley'),
        ...{ markdown: 'Markdown', html: 'HTML', prosemirror: 'Tiptap, ProseMirror' },
        ...{ portable_text: 'Portable Text (Sanity)', editorjs: 'Editor.js', notion: 'Notion' },
        ...{ lexical: 'Lexical', contentful: 'Contentful' },
      })}
      {select('text_format', __('Their texts are written in', 'galley'), {
        '': __('Plain text', 'galley'),
        ...{ markdown: 'Markdown', html: 'HTML' },
      })}
    </Group>
  )
}
