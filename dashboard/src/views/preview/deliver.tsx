import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { uuid } from '../../app/uuid.ts'
import { Button } from '../../components/button.tsx'
import { forgetDraft } from './draft.ts'
import type { MatrixRequest } from './matrix-form.tsx'
import { PreviewFailure } from './preview-failure.tsx'

/** Sites of one request. */
const AT_A_TIME = 500

interface DeliverProps {
  ask: MatrixRequest
  /** Another delivery is another component, by its key. */
  siteIds: string[]
  label: string
  /** Before it is known to which sites, the button stands disabled, so that nothing below it moves. */
  ready?: boolean
}

/** Delivers the previewed document. Pressing the button twice delivers once. */
export function Deliver({ ask: { given, delivery }, siteIds, label, ready = true }: DeliverProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [key] = useState(uuid)
  const deliver = useMutation({
    mutationFn: async () => {
      let first: string | undefined
      for (let from = 0; from < siteIds.length; from += AT_A_TIME) {
        const { data } = await call('createDeliveries', {
          headers: { 'idempotency-key': `${key}-${from}` },
          body: {
            ...{ id: given.id, data: given.data, delivery, source_id: given.sourceId },
            site_ids: siteIds.slice(from, from + AT_A_TIME),
          },
        })
        first ??= data[0]?.id
      }
      return first
    },
    onSuccess: async (id) => {
      forgetDraft(given.id)
      void queryClient.invalidateQueries({ queryKey: ['deliveries'] })
      const one = siteIds.length === 1 && id !== undefined
      await navigate(
        (one
          ? { to: '/deliveries/$id', params: { id } }
          : { to: '/deliveries', search: { document_id: given.id } }) as never,
      )
    },
  })
  if (!useMay('deliveries.create')) return null
  return (
    <>
      {deliver.error && <PreviewFailure error={deliver.error} />}
      <div className="g-actions">
        <Button
          primary
          disabled={!ready || deliver.isPending || deliver.isSuccess}
          onClick={() => deliver.mutate()}
        >
          {deliver.isPending ? __('Handing over…', 'galley') : label}
        </Button>
      </div>
    </>
  )
}
