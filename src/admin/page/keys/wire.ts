/** Role of a credential of the Admin API. */
export type ShownRole = 'read' | 'write';

/** Credential that the page uses, as the Admin API describes it. */
export type ShownCredential = { readonly name: string; readonly role: ShownRole };

/** Settings of a key, as the Admin API lists them. Absent settings do not restrict the key. */
export type ListedSettings = {
  readonly expiresAt?: string;
  readonly networks?: readonly string[];
  readonly methods?: readonly string[];
  readonly addresses?: readonly string[];
  readonly origins?: readonly string[];
  readonly userAgents?: readonly string[];
  readonly send?: boolean;
  readonly rate?: { readonly perSecond: number; readonly burst?: number };
  readonly dailyCredits?: number;
  readonly jwt?: string;
  /** Whether requests must carry a secret. A secret cannot be added to a key. */
  readonly secret?: true;
};

/** Settings that the form of a key changes. */
export type ChosenSettings = Omit<ListedSettings, 'secret'>;

/** Change of settings; null removes a setting. */
export type SettingsPatch = { readonly [K in keyof ChosenSettings]?: ChosenSettings[K] | null };

/** Key as the Admin API lists it, without its values. */
export type ListedKey = {
  readonly id: string;
  readonly name: string;
  readonly state: 'open' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly revokedAt?: string;
  /** Values of the key, newest first. `validUntil` is present for a value that a rotation has replaced. */
  readonly keys: readonly { readonly isCurrent: boolean; readonly validUntil?: string }[];
  readonly settings: ListedSettings;
};

/** Answer to a creation or a rotation: the only one that contains the key and its secret. */
export type NewKey = { readonly key: string; readonly secret?: string; readonly record: ListedKey };

/** Calls of a key on a day (UTC, `YYYY-MM-DD`). */
export type DayOfCalls = { readonly day: string; readonly calls: number };
