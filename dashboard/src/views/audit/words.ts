import { __ } from '@wordpress/i18n'
import { inWords } from '../../components/texts.ts'

/** Kinds of objects, by their names in the log. */
const kinds: Readonly<Record<string, () => string>> = {
  site: () => __('Site', 'galley'),
  delivery: () => __('Delivery', 'galley'),
  source: () => __('Source', 'galley'),
  receiver: () => __('Recipient', 'galley'),
  notification: () => __('Notification', 'galley'),
  key: () => __('Key', 'galley'),
  account: () => __('Account', 'galley'),
  job: () => __('Document, audio or image', 'galley'),
  bulk: () => __('Bulk action', 'galley'),
  import: () => __('Import of sites', 'galley'),
  connect_link: () => __('Link for an owner', 'galley'),
  session: () => __('Session', 'galley'),
}

/** All actions of the log, in the order in which they are offered. */
const actions: Readonly<Record<string, () => string>> = {
  'site.connect': () => __('Site connected', 'galley'),
  'site.change': () => __('Site changed', 'galley'),
  'site.check': () => __('Site checked', 'galley'),
  'site.pause': () => __('Site paused', 'galley'),
  'site.resume': () => __('Site resumed', 'galley'),
  'site.remove': () => __('Site removed', 'galley'),
  'import.create': () => __('Import of sites started', 'galley'),
  'connect_link.create': () => __('Link for an owner created', 'galley'),
  'connect_link.revoke': () => __('Link for an owner withdrawn', 'galley'),
  'delivery.create': () => __('Document sent to sites', 'galley'),
  'delivery.retry': () => __('Delivery tried again', 'galley'),
  'delivery.undo': () => __('Choice about an edited post undone', 'galley'),
  'delivery.withdraw': () => __('Post withdrawn', 'galley'),
  'delivery.cancel': () => __('Delivery cancelled', 'galley'),
  'bulk.create': () => __('Bulk action started', 'galley'),
  'bulk.cancel': () => __('Bulk action stopped', 'galley'),
  'job.create': () => __('Document, audio or image requested', 'galley'),
  'job.resume': () => __('Missing parts of a document requested', 'galley'),
  'job.cancel': () => __('Document, audio or image cancelled', 'galley'),
  'source.create': () => __('Source created', 'galley'),
  'source.change': () => __('Source changed', 'galley'),
  'source.rotate': () => __('Source given a new address', 'galley'),
  'source.backfill': () => __('Missed documents of a source fetched', 'galley'),
  'source.remove': () => __('Source removed', 'galley'),
  'receiver.create': () => __('Recipient added', 'galley'),
  'receiver.change': () => __('Recipient changed', 'galley'),
  'receiver.rotate': () => __('Recipient given a new secret', 'galley'),
  'receiver.test': () => __('Sample sent to a recipient', 'galley'),
  'receiver.remove': () => __('Recipient removed', 'galley'),
  'notification.repeat': () => __('Notification sent again', 'galley'),
  'key.create': () => __('Key created', 'galley'),
  'key.change': () => __('Key changed', 'galley'),
  'key.rotate': () => __('Key replaced', 'galley'),
  'key.revoke': () => __('Key revoked', 'galley'),
  'account.create': () => __('Account created', 'galley'),
  'account.change': () => __('Account changed', 'galley'),
  'account.grant_credits': () => __('Credits given', 'galley'),
  'account.make_notification_secret': () => __('Signing secret created', 'galley'),
  'account.remove_notification_secret': () => __('Signing secret removed', 'galley'),
  'session.begin': () => __('Signed in', 'galley'),
  'session.end': () => __('Signed out', 'galley'),
}

/** An action in words; undefined for one of a newer Galley. */
export const actionInWords = (action: string): string | undefined => actions[action]?.()

/** A kind of object in words; undefined for one of a newer Galley. */
export const kindInWords = (kind: string): string | undefined => kinds[kind]?.()

/** The options of the filters: actions and kinds of objects. */
export const actionsInWords = (): Record<string, string> => inWords(actions)
export const kindsInWords = (): Record<string, string> => inWords(kinds)
