import './bulk.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { BulkJob } from '../../api/client.ts'
import { bulkInWords } from '../../components/bulk/words.ts'
import { LinkButton } from '../../components/button.tsx'
import { Head } from '../../components/head.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Message } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { bulkListQuery } from '../../data/bulk.ts'
import { BulkStatus, Counts } from './job.tsx'

/** All bulk jobs, the newest first. */
export default function BulkJobs() {
  const { cursor } = useSearch({ strict: false }) as { cursor?: string }
  const query = useQuery(bulkListQuery(cursor))
  return (
    <>
      <Head title={__('Bulk actions', 'galley')}>
        {__('What was done to many deliveries or sites at once, and what would have been done.', 'galley')}
      </Head>
      <Rows<BulkJob>
        query={query}
        label={__('Bulk actions', 'galley')}
        empty={
          <Message
            title={__('No bulk actions yet', 'galley')}
            actions={<LinkButton to="/deliveries">{__('Deliveries', 'galley')}</LinkButton>}
          >
            <p>{__('Choose rows in a list of deliveries or sites, or all that match.', 'galley')}</p>
          </Message>
        }
      >
        {(job) => (
          <Row title={<Title job={job} />} state={<BulkStatus job={job} />}>
            <p className="g-weak">
              <Time at={job.created_at} />
            </p>
            <Counts job={job} />
          </Row>
        )}
      </Rows>
    </>
  )
}

const Title = ({ job: { id, action, matched } }: { job: BulkJob }) => (
  <Link to="/bulk/$id" params={{ id } as never}>
    {bulkInWords(action, matched)}
  </Link>
)
