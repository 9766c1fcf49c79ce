import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useEffect } from 'react'
import { call, type Delivery } from '../api/client.ts'
import { deliveriesQuery } from '../data/deliveries.ts'
import { sampleFor } from './sample.ts'
import { DeliveryStatus } from './status.tsx'

interface SendSampleProps {
  siteId: string
  /** Of the source. */
  address: string
  onDelivery?: (delivery: Delivery) => void
}

/** Sends a sample as a generator would, to the address of the source, and follows it until it is a post. */
export function SendSample({ siteId, address, onDelivery }: SendSampleProps) {
  const send = useMutation({
    mutationFn: async () => {
      const token = new URL(address).pathname.split('/').pop() ?? ''
      const sample = sampleFor(siteId)
      await call('sendWebhook', { path: { token }, body: sample as never })
      return sample.id
    },
  })
  const found = useQuery({
    ...deliveriesQuery({ document_id: send.data }),
    enabled: send.data !== undefined,
    refetchInterval: ({ state }) => (isDone(state.data?.data[0]) ? false : 1_000),
  })
  const delivery = send.data === undefined ? undefined : found.data?.data[0]
  useEffect(() => {
    if (delivery) onDelivery?.(delivery)
  }, [delivery, onDelivery])

  if (delivery) return <Followed delivery={delivery} />
  return (
    <div className="g-form">
      <p>{__('It becomes a draft, which nobody but the site’s editors sees.', 'galley')}</p>
      {send.error && (
        <p className="g-field-mistake" role="alert">
          {send.error.message}
        </p>
      )}
      <div>
        <button
          type="button"
          className="g-button primary"
          disabled={send.isPending || send.isSuccess}
          onClick={() => send.mutate()}
        >
          {send.isPending || send.isSuccess ? __('Sending…', 'galley') : __('Send the sample', 'galley')}
        </button>
      </div>
    </div>
  )
}

const isDone = (delivery: Delivery | undefined): boolean =>
  delivery !== undefined && !['queued', 'delivering'].includes(delivery.status)

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
