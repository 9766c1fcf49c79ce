import '../../components/rows.css'
import { __, sprintf } from '@wordpress/i18n'
import type { DetailedDelivery } from '../../api/client.ts'

/** The files of the document, and where each of them is in the library of the site. */
export function Pictures({ delivery: { media, post } }: { delivery: DetailedDelivery }) {
  if (media.length === 0) return null
  return (
    <section className="g-card g-section">
      <h2>{__('Pictures and sound', 'galley')}</h2>
      <ul className="g-findings">
        {media.map(({ source_url, id }) => (
          <li key={source_url}>
            <p dir="ltr">{source_url}</p>
            <p className="g-weak">
              {id === null ? (
                __('Not in the media library of the site.', 'galley')
              ) : (
                <Place id={id} address={inLibrary(post?.edit_url ?? null, id)} />
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Place({ id, address }: { id: number; address: string | undefined }) {
  // translators: %d: the number of a file in WordPress
  const name = sprintf(__('File %d in the media library', 'galley'), id)
  if (address === undefined) return <>{name}</>
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {name}
    </a>
  )
}

/** The library lies beside the editor. What is no address of the web leads nowhere. */
function inLibrary(editUrl: string | null, id: number): string | undefined {
  if (editUrl === null || !URL.canParse(editUrl)) return undefined
  const url = new URL(`upload.php?item=${id}`, editUrl)
  return /^https?:$/.test(url.protocol) ? url.href : undefined
}
