import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import { call, type Source, type SourceWithSecrets } from '../../api/client.ts'
import { useMay, useSession } from '../../app/session-context.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Field, Form } from '../../components/form.tsx'
import { Secret } from '../../components/secret.tsx'

/** Where documents come from: a program, an automation tool, Galley's own generation, or the person at this page. */
export type Way = 'program' | 'automation' | 'generate' | 'write'

/** Whether documents that come this way need an address that they are sent to. */
export const needsAddress = (way: Way): boolean => way === 'program' || way === 'automation'

interface WaysProps {
  way: Way
  onChange(way: Way): void
  siteId: string
  /** With the address of a source that was just created. */
  source: Source | SourceWithSecrets | undefined
  onMade(source: SourceWithSecrets): void
}

/** What a document is, the four ways for it to come, and what the chosen one needs. */
export function Ways({ way, onChange, siteId, source, onMade }: WaysProps) {
  const mayGenerate = useMay('jobs.create')
  const ways: Record<Way, string> = {
    program: __('From your own program', 'galley'),
    automation: __('From n8n, Zapier or Make', 'galley'),
    generate: __('Generate one', 'galley'),
    write: __('Write or paste a text', 'galley'),
  }
  const offered = (Object.keys(ways) as Way[]).filter((one) => one !== 'generate' || mayGenerate)
  return (
    <>
      <p>
        {__(
          'A document is a finished text with its title, pictures, categories and tags. Each one becomes one post.',
          'galley',
        )}
      </p>
      <fieldset className="g-actions g-ways" aria-label={__('Where your documents come from', 'galley')}>
        {offered.map((one) => (
          <Button key={one} aria-pressed={way === one} onClick={() => onChange(one)}>
            {ways[one]}
          </Button>
        ))}
      </fieldset>
      {way === 'generate' && (
        <Elsewhere to="/documents/new" label={__('Generate a document', 'galley')}>
          {__(
            'Describe the topic and choose this site. Galley writes the document and delivers it.',
            'galley',
          )}
        </Elsewhere>
      )}
      {way === 'write' && (
        <Elsewhere to="/preview" label={__('Write a post', 'galley')}>
          {__(
            'Write in Markdown or HTML, or paste from a word processor. You see the post before it is sent.',
            'galley',
          )}
        </Elsewhere>
      )}
      {needsAddress(way) && <Address siteId={siteId} source={source} onMade={onMade} />}
      {way === 'automation' && source !== undefined && (
        <Recipe siteId={siteId} address={'url' in source ? source.url : undefined} />
      )}
    </>
  )
}

const Elsewhere = ({ to, label, children }: { to: string; label: string; children: ReactNode }) => (
  <div className="g-form">
    <p>{children}</p>
    <div>
      <LinkButton primary to={to}>
        {label}
      </LinkButton>
    </div>
  </div>
)

/** What an automation tool is to send, to be copied. It works as it stands. */
function Recipe({ siteId, address }: { siteId: string; address: string | undefined }) {
  const body = {
    event: 'document.completed',
    id: 'article-1',
    data: { title: 'The title', content: '<p>The text, as HTML or Markdown.</p>' },
    delivery: { id: siteId, post_status: 'draft', metadata: { categories: [], tags: ['First'] } },
  }
  return (
    <div className="g-form">
      <h3>{__('What the tool sends', 'galley')}</h3>
      <ol>
        <li>
          {__(
            'Add a step that sends a web request: “HTTP Request” in n8n, “Webhooks by Zapier”, or “HTTP” in Make.',
            'galley',
          )}
        </li>
        <li>
          {address === undefined
            ? __('Method POST, to the address for documents.', 'galley')
            : __('Method POST, to the address above.', 'galley')}
        </li>
        <li>{__('Body in JSON. Put the fields of your tool where title and text are:', 'galley')}</li>
      </ol>
      <Secret value={JSON.stringify(body, null, 2)} label={__('Body in JSON', 'galley')} />
      <p className="g-weak">
        {__(
          'Use an id of its own for each document. Sent again with the same id, a changed text updates its post, and the same text changes nothing.',
          'galley',
        )}
      </p>
    </div>
  )
}

/** A source. Its address is shown once. */
function Address({ siteId, source, onMade }: Pick<WaysProps, 'siteId' | 'source' | 'onMade'>) {
  const { limited } = useSession()
  const [name, setName] = useState<string>(() => __('My generator', 'galley'))
  const make = useMutation({
    mutationFn: async () => {
      // A key that is limited to some sites cannot create a source for all.
      const limits = limited ? { limits: { sites: [siteId] } } : {}
      return (await call('createSource', { body: { name: name.trim(), ...limits } })).data
    },
    onSuccess: onMade,
  })

  if (source && 'url' in source)
    return (
      <div className="g-form">
        <p>
          {__(
            'Give this address to whatever sends your documents. It is a secret, and it is shown only now: keep it where secrets are kept.',
            'galley',
          )}
        </p>
        <Secret value={source.url} label={__('Address for documents', 'galley')} />
      </div>
    )
  if (source)
    return (
      <p>
        <strong>{source.name}</strong>{' '}
        {__('Its address was shown when it was created. If nobody has it, create a new one:', 'galley')}{' '}
        <Link to="/sources">{__('Sources', 'galley')}</Link>
      </p>
    )
  return (
    <Form submit={__('Create the address', 'galley')} mutation={make} incomplete={name.trim() === ''}>
      <Field
        label={__('Sender', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        path="body.name"
      />
    </Form>
  )
}
