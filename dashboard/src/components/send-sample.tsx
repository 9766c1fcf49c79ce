import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { call, type Delivery } from '../api/client.ts'
import { deliveriesQuery } from '../data/deliveries.ts'
import { sampleFor } from './sample.ts'
import { wordsFor } from './states/failure.tsx'
import { DeliveryStatus } from './status.tsx'

interface SendSampleProps {
  siteId: string
  /** Of the source; where it is not known any more, the sample is handed over without it. */
  address: string | undefined
  /** What came for the site before. */
  last?: Delivery | undefined
}

/** Sends a sample as a generator would, to the address of the source, and follows it until it is a post. */
export function SendSample({ siteId, address, last }: SendSampleProps) {
  const send = useMutation({
    mutationFn: async () => {
      const sample = sampleFor(siteId)
      if (address === undefined) await sendDirectly(siteId, sample)
      else {
        const token = new URL(address).pathname.split('/').pop() ?? ''
        await call('sendWebhook', { path: { token }, body: sample as never })
      }
      return sample.id
    },
  })
  const found = useQuery({
    ...deliveriesQuery({ document_id: send.data }),
    enabled: send.data !== undefined,
    refetchInterval: ({ state }) => (isDone(state.data?.data[0]) ? false : 1_000),
  })
  // Until it is found, the query has what it found before.
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
            <p className="g-field-mistake" role="alert">
              {wordsFor(send.error).text}
            </p>
          )}
          <div>
            <button
              type="button"
              className="g-button primary"
              disabled={sending}
              onClick={() => send.mutate()}
            >
              {sending ? __('Sending…', 'galley') : __('Send the sample', 'galley')}
            </button>
          </div>
        </div>
      )}
    </>
  )
}

/** As it would come to a source, without one. */
const sendDirectly = (siteId: string, { id, data, delivery }: ReturnType<typeof sampleFor>) =>
  call('createDeliveries', {
    body: {
      id,
      data,
      delivery: { post_status: delivery.post_status, metadata: delivery.metadata },
      site_ids: [siteId],
    } as never,
  })

const isDone = (delivery: Delivery | undefined): boolean =>
  delivery !== undefined && !['queued', 'delivering'].includes(delivery.status)

const isInVain = ({ status }: Delivery): boolean => ['held', 'failed', 'cancelled'].includes(status)

function Followed({ delivery: { id, status, post, error } }: { delivery: Delivery }) {
  return (
    <div className="g-form" role="status">
      <p>
        <DeliveryStatus status={status} />
      </p>
      {error && <p>{error.message}</p>}
      <p className="g-actions">
        {post?.edit_url && (
          <a className="g-button primary" href={post.edit_url} target="_blank" rel="noreferrer">
            {__('Open the post', 'galley')}
          </a>
        )}
        <Link className="g-button" to="/deliveries/$id" params={{ id } as never}>
          {__('See how it went', 'galley')}
        </Link>
      </p>
    </div>
  )
}
