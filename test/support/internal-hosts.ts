/**
 * Hosts that no URL of a webhook or a hook may name: metadata services, link-local, unspecified, multicast and reserved addresses, in every
 * spelling that a URL parser accepts.
 */
export const forbiddenHosts: readonly string[] = [
  ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "169.254.43518", "169.254.169.254."],
  ...["①⑥⑨.②⑤④.169.254", "%31%36%39.254.169.254", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]"],
  ...["[fe80::1]", "[fd00:ec2::254]", "0", "0.0.0.0", "[::]", "224.0.0.1", "[ff02::1]", "255.255.255.255"],
  ...["metadata.google.internal", "METADATA.Google.Internal.", "metadata", "instance-data"],
  ...["100.100.100.200", "192.0.0.192", "168.63.129.16", "[fd20:ce::254]", "[2002:a9fe:a9fe::1]", "[::169.254.169.254]"],
  ...["[::ffff:0:a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "0x0", "[::ffff:0.0.0.0]", "240.0.0.1", "169.254.170.2", "[febf::1]"],
];

/** Addresses that a name must not lead to, whatever the name. */
export const forbiddenAddresses: readonly string[] = [
  ...["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "100.100.100.200", "169.254.0.1", "fe80::1", "0.0.0.0", "::"],
  ...["224.0.0.1", "ff02::1", "240.0.0.1", "255.255.255.255", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::169.254.169.254"],
];

/** Spellings of loopback and private addresses: plain http may go to the first, and to the others only if it is https. */
export const localSpellings: readonly string[] = ["127.1", "0x7f000001", "2130706433", "017700000001", "[::1]", "[::ffff:127.0.0.1]"];
