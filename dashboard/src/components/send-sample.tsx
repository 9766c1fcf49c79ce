import { useMutation, useQuery } from '@tanstack/react-query'
import apiFetch from '@wordpress/api-fetch'
import { __ } from '@wordpress/i18n'
import { call, type Delivery } from '../api/client.ts'
import { uuid } from '../app/uuid.ts'
import { deliveriesQuery } from '../data/deliveries.ts'
import { Button, LinkButton, OutButton } from './button.tsx'
import { describeError } from './states.tsx'
import { DeliveryStatus } from './status.tsx'

interface SendSampleProps {
  siteId: string
  /** The source's address; undefined when it is no longer known, and the sample is delivered directly. */
  address: string | undefined
  /** The site's latest delivery. */
  last?: Delivery | undefined
}

/** Sends a sample document to a source's address, and follows its delivery. */
export function SendSample({ siteId, address, last }: SendSampleProps) {
  const send = useMutation({
    mutationFn: async () => {
      const sample = await sampleFor(siteId)
      if (address === undefined) await sendDirectly(siteId, sample)
      else {
        const token = new URL(address).pathname.split('/').pop() ?? ''
        const taken = await call('sendWebhook', { path: { token }, body: sample as never })
        // A source may be limited to other sites.
        if ('delivery' in taken && !taken.delivery)
          throw new Error(taken.warnings?.map(({ path, message }) => `${path} ${message}`).join(' · '))
      }
      return sample.id
    },
  })
  const found = useQuery({
    ...deliveriesQuery({ document_id: send.data }),
    enabled: send.data !== undefined,
    refetchInterval: ({ state }) => (isDone(state.data?.data[0]) ? false : 1_000),
  })
  // Until the new delivery is found, the query has its previous data.
  const sent = found.data?.data.find(({ document_id }) => document_id === send.data)
  const sending = send.isPending || (send.isSuccess && sent === undefined)
  const delivery = sent ?? last

  return (
    <>
      {delivery && <Followed delivery={delivery} />}
      {(delivery === undefined || sending || isInVain(delivery)) && (
        <div className="g-form">
          <p>{__('It becomes a draft, which nobody but the site’s editors sees.', 'galley')}</p>
          {send.error && (
            <p className="g-field-error" role="alert">
              {describeError(send.error).text}
            </p>
          )}
          <div>
            <Button primary disabled={sending} onClick={() => send.mutate()}>
              {sending ? __('Sending…', 'galley') : __('Send the sample', 'galley')}
            </Button>
          </div>
        </div>
      )}
    </>
  )
}

/** Delivers the sample without a source. */
const sendDirectly = (siteId: string, { id, data, delivery }: Awaited<ReturnType<typeof sampleFor>>) =>
  call('createDeliveries', {
    body: {
      id,
      data,
      delivery: { post_status: delivery.post_status, metadata: delivery.metadata },
      site_ids: [siteId],
    } as never,
  })

const isDone = (delivery: Delivery | undefined): boolean =>
  delivery !== undefined && !['queued', 'waiting', 'delivering'].includes(delivery.status)

const isInVain = ({ status }: Delivery): boolean => ['held', 'failed', 'cancelled', 'kept'].includes(status)

function Followed({ delivery }: { delivery: Delivery }) {
  const { id, status, post, error } = delivery
  return (
    <div className="g-form" role="status">
      <p>
        <DeliveryStatus status={status} />
      </p>
      {error && <p>{error.message}</p>}
      <p className="g-actions">
        {post?.edit_url && (
          <OutButton primary={!isInVain(delivery)} href={post.edit_url}>
            {__('Open the post', 'galley')}
          </OutButton>
        )}
        <LinkButton to={`/deliveries/${id}`}>{__('See how it went', 'galley')}</LinkButton>
      </p>
    </div>
  )
}

/** A finished document as a generator sends it. It becomes a draft, so that nothing is published. */
async function sampleFor(siteId: string) {
  const title = __('A first document from Galley', 'galley')
  return {
    event: 'document.completed',
    id: uuid(),
    status: 'completed',
    data: {
      title,
      description: __('What a finished document becomes on this site.', 'galley'),
      content: {
        type: 'document',
        version: '1.0',
        meta: { title },
        content: [
          __('This draft was sent through Galley, as your documents will be.', 'galley'),
          ...(await exampleBlocks()),
          __('Delete it when you have seen it.', 'galley'),
        ],
      },
    },
    delivery: { id: siteId, post_status: 'draft', metadata: { categories: [], tags: [] } },
  }
}

interface Description {
  components: { schemas: Record<string, { examples?: object[]; oneOf?: { $ref: string }[] }> }
}

/** The example of each block as Galley describes them, but for those with files, which are nowhere. */
async function exampleBlocks(): Promise<object[]> {
  const { schemas } = (await apiFetch<Description>({ path: '/openapi.json' })).components
  return (schemas.Block?.oneOf ?? [])
    .flatMap(({ $ref }) => schemas[$ref.split('/').at(-1) ?? '']?.examples?.[0] ?? [])
    .filter((example) => !JSON.stringify(example).includes('https://example.com/'))
}
