import '../../components/plain-table.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useRef, useState } from 'react'
import { csvLine, UTF8_BOM } from '../../../../src/lib/csv.ts'
import { call, type ListedSite } from '../../api/client.ts'
import { bulkActions, countOf } from '../../components/bulk/words.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { withNumber } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { copyText } from '../../components/secret.tsx'
import { describeError } from '../../components/states.tsx'
import type { BulkRequest } from '../../data/bulk.ts'
import type { SiteQuery } from '../../data/sites.ts'

/** Galley asks each site whether it is there before it makes a link. */
const AT_ONCE = 4

interface OwnerLink {
  site: ListedSite
  /** Undefined where none could be made. */
  link?: string
  /** Why there is none. */
  problem?: string | undefined
}

interface OwnerLinksProps {
  /** The sites. */
  filter: SiteQuery
  onDone(): void
}

/** Mails the owners of several sites a link each, by a bulk job; or makes the links, to copy from a table and as a file. */
export function OwnerLinks({ filter, onDone }: OwnerLinksProps) {
  const queryClient = useQueryClient()
  const [made, setMade] = useState<OwnerLink[]>([])
  const navigate = useNavigate()
  const mail = useMutation({
    mutationFn: () =>
      call('createBulk', {
        body: { action: 'mail_owner', filter, parameters: {}, dry_run: true } as BulkRequest,
      }),
    onSuccess: ({ id }) => navigate({ to: '/bulk/$id', params: { id } as never }),
  })
  const make = useMutation({
    mutationFn: async () => {
      const sites = await allSites(filter)
      const left = sites.values()
      const maker = async () => {
        for (const site of left) {
          const link = await makeLink(site)
          setMade((before) => [...before, link])
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, maker))
      return sites.length
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['connect-links'] }),
  })
  return (
    <Panel title={__('Connect sites again through their owners', 'galley')}>
      {make.isSuccess || made.length > 0 ? (
        <>
          <p>{__('Each link is shown only now, works once, and ends in a week.', 'galley')}</p>
          <Links made={made} isDone={!make.isPending} onDone={onDone} />
        </>
      ) : (
        <Form
          submit={__('Mail the owners', 'galley')}
          mutation={{
            error: mail.error ?? make.error,
            isPending: mail.isPending || make.isPending,
            mutate: mail.mutate,
          }}
          onCancel={onDone}
        >
          <p>{bulkActions.mail_owner.does()}</p>
          <p className="g-weak">
            {__('First you see how many can be mailed. Nothing is sent yet.', 'galley')}
          </p>
          <p>
            <Button onClick={() => make.mutate()}>{__('Create links to send yourself', 'galley')}</Button>
          </p>
        </Form>
      )}
    </Panel>
  )
}

function Links({ made, isDone, onDone }: { made: OwnerLink[]; isDone: boolean; onDone(): void }) {
  const [copied, setCopied] = useState(false)
  const table = useRef<HTMLTableElement>(null)
  const links = made.filter(({ link }) => link).length
  const csv = [
    csvLine(['name', 'url', 'owner_email', 'link', 'problem']),
    ...made.map(({ site: { name, url, owner_email }, link, problem }) =>
      csvLine([name, url, owner_email, link, problem]),
    ),
  ].join('')

  async function copy() {
    if (table.current) getSelection()?.selectAllChildren(table.current)
    setCopied(
      await copyText(made.map(({ site, link }) => `${site.name}\t${site.url}\t${link ?? ''}`).join('\n')),
    )
  }

  return (
    <>
      <table className="g-plain-table" ref={table}>
        <thead>
          <tr>
            <th scope="col">{__('Site', 'galley')}</th>
            <th scope="col">{__('Address', 'galley')}</th>
            <th scope="col">{__('Link for the owner', 'galley')}</th>
          </tr>
        </thead>
        <tbody>
          {made.map(({ site: { id, name, url }, link, problem }) => (
            <tr key={id}>
              <th scope="row">
                <Link to="/sites/$id" params={{ id } as never}>
                  {name}
                </Link>
              </th>
              <td dir="ltr">{url}</td>
              <td>{link ? <code dir="ltr">{link}</code> : problem}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p role="status">
        {isDone &&
          sprintf(
            // translators: 1: a count with its noun, such as 9 links; 2: the same, such as 10 sites
            __('%1$s for %2$s', 'galley'),
            // translators: %d: a number of links for owners
            withNumber(_n('%d link', '%d links', links, 'galley'), links),
            countOf('sites', made.length),
          )}
      </p>
      <p className="g-actions">
        <Button primary disabled={!isDone} onClick={() => void copy()}>
          {copied ? __('Copied', 'galley') : __('Copy all', 'galley')}
        </Button>
        <a
          className="g-button"
          download="galley-connect-links.csv"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(UTF8_BOM + csv)}`}
        >
          {__('Download as CSV', 'galley')}
        </a>
        <Button disabled={!isDone} onClick={onDone}>
          {__('Close', 'galley')}
        </Button>
      </p>
    </>
  )
}

async function allSites(filter: SiteQuery): Promise<ListedSite[]> {
  const sites: ListedSite[] = []
  let cursor: string | undefined
  do {
    const { data, next_cursor } = await call('listSites', { query: { ...filter, limit: 100, cursor } })
    sites.push(...data)
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  return sites
}

async function makeLink(site: ListedSite): Promise<OwnerLink> {
  const { id, url } = site
  try {
    const { data } = await call('createConnectLink', { body: { id, url } })
    return { site, link: data.link }
  } catch (error) {
    return { site, problem: describeError(error).text }
  }
}
