import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { parseLabels } from '../../../../src/lib/label-list.ts'
import { call, type DocumentResult, type JobInDetail, type Operations } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Below } from '../../components/below.tsx'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { withNumber } from '../../components/format.ts'
import { SiteChoice } from '../../components/site-choice.tsx'
import { DeliveryStatus } from '../../components/status.tsx'
import { deliveriesQuery } from '../../data/deliveries.ts'
import { documentQuery } from '../../data/jobs.ts'
import { PostFields } from './form-groups.tsx'

interface DeliverProps {
  /** The id of the job and of its document. */
  id: string
  document: DocumentResult
}

/** The sites of a finished document, and a form to deliver it to more. */
export function OnSites({ job }: { job: JobInDetail }) {
  const { data: status } = useQuery(documentQuery(job))
  return status?.status === 'completed' ? <Deliver id={job.id} document={status.data} /> : null
}

function Deliver({ id, document }: DeliverProps) {
  const [open, setOpen] = useState(false)
  const mayDeliver = useMay('deliveries.create')
  const maySee = useMay('deliveries.read')
  return (
    <section className="g-card g-section">
      <h2>{__('On sites', 'galley')}</h2>
      {maySee && <Deliveries id={id} />}
      <Below queries={maySee ? [onSitesQuery(id)] : []}>
        {mayDeliver && !open && (
          <Button primary onClick={() => setOpen(true)}>
            {__('Deliver to sites', 'galley')}
          </Button>
        )}
        {open && <DeliverForm id={id} document={document} onClose={() => setOpen(false)} />}
      </Below>
    </section>
  )
}

/** Sites that are listed; the list of deliveries has all. */
const LISTED = 100

/** The deliveries of a document. */
export const onSitesQuery = (id: string) => deliveriesQuery({ document_id: id, limit: LISTED })

function Deliveries({ id }: { id: string }) {
  const { data } = useQuery(onSitesQuery(id))
  if (data === undefined) return null
  if (data.data.length === 0) return <p className="g-weak g-on-none">{__('On none yet.', 'galley')}</p>
  return (
    <>
      <ul className="g-on-sites">
        {data.data.map((delivery) => (
          <li key={delivery.id}>
            <Link to="/deliveries/$id" params={{ id: delivery.id } as never}>
              {delivery.site?.name ?? delivery.site_id}
            </Link>{' '}
            <DeliveryStatus status={delivery.status} />
          </li>
        ))}
      </ul>
      {data.next_cursor !== null && (
        <p className="g-weak">
          {sprintf(
            // translators: %d: how many deliveries are listed
            __('These are the newest %d.', 'galley'),
            LISTED,
          )}{' '}
          <Link to="/deliveries" search={{ document_id: id } as never}>
            {__('All its deliveries', 'galley')}
          </Link>
        </p>
      )}
    </>
  )
}

function DeliverForm({ id, document, onClose }: DeliverProps & { onClose(): void }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const [sites, setSites] = useState<string[]>([])
  const [post, setPost] = useState({ post_status: 'draft', categories: '', tags: '' })
  const body: Operations['createDeliveries']['body'] = {
    id,
    data: document,
    delivery: {
      post_status: post.post_status as 'draft',
      metadata: { categories: parseLabels(post.categories), tags: parseLabels(post.tags) },
    },
    site_ids: sites,
  }
  const deliver = useMutation({
    mutationFn: () => call('createDeliveries', { body }),
    onSuccess: async ({ data }) => {
      notice({
        text: withNumber(
          // translators: %d: to how many sites a document goes
          _n('It goes to %d site.', 'It goes to %d sites.', data.length, 'galley'),
          data.length,
        ),
      })
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['deliveries'] })
    },
  })
  return (
    <Form
      submit={__('Deliver', 'galley')}
      mutation={deliver}
      incomplete={sites.length === 0}
      onCancel={onClose}
    >
      <SiteChoice legend={__('To these sites', 'galley')} chosen={sites} onChange={setSites} />
      <PostFields
        post={post}
        change={(changes) => setPost({ ...post, ...changes })}
        path="body.delivery.metadata"
      />
      <p className="g-weak">{__('Where it was delivered before, the same post gets this text.', 'galley')}</p>
    </Form>
  )
}
