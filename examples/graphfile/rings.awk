# Labelled graphs for `fgnn train file` (docs/graphfile.md): rings of 5 to 10 switches, each on or off.
# A switch is of class 1 when it and both of its neighbours are on; whom it hears is a factor of three.
#
#   awk -f examples/graphfile/rings.awk -v count=500 > rings.jsonl
BEGIN {
  srand(seed + 0)
  for (g = 0; g < count; ++g) {
    n = 5 + int(6 * rand())
    variables = scopes = labels = ""
    for (i = 0; i < n; ++i) on[i] = rand() < 0.6
    for (i = 0; i < n; ++i) {
      left = (i + n - 1) % n
      right = (i + 1) % n
      comma = i < n - 1 ? ", " : ""
      variables = variables "[" on[i] "]" comma
      scopes = scopes "[" left ", " i ", " right "]" comma
      labels = labels (on[left] && on[i] && on[right]) comma
    }
    split_ = g < 0.8 * count ? "train" : g < 0.9 * count ? "validation" : "test"
    printf "{\"variables\": [%s], \"relations\": {\"triple\": {\"scopes\": [%s]}}, " \
           "\"labels\": [%s], \"split\": \"%s\"}\n", variables, scopes, labels, split_
  }
}
