/** What each part of the API is about, in the order in which `/docs` shows them. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Webhooks: 'The way in for finished documents.',
  Deliveries: 'What becomes of each document on each site, and what to do where it waits for somebody.',
  Bulk: 'One thing done to everything that matches a filter, as a job with a report.',
  Sites:
    'The WordPress sites that are connected, how they want their posts, and what stands in the way there.',
  'Connect links': 'Links by which the owner of a site connects it, without a password changing hands.',
  Sources: 'Who sends documents, and how they prove it.',
  Stream: 'What changes, as it changes.',
  Events: 'Every webhook as it was received, the unusable ones with what was wrong.',
  Generation: 'Documents, audio and images made from a prompt.',
  Notifications: 'What was told to a webhook_url or a receiver, with every attempt.',
  Receivers: 'Who is told what becomes of deliveries and sites.',
  Files: 'Pictures and sound files that Galley made.',
  Account: 'The account of the key: its balance, and what it wants to be told.',
  Keys: 'API keys, and what each may do.',
  Session: 'Signing in to the page at `/`, and who is asking.',
  Accounts: 'The accounts of this installation, for whoever runs it.',
  Audit: 'Who did what to which site, key, source and delivery.',
  Service: 'Whether Galley runs, and this description.',
}
