import { type ClientData, CUT_SHORT, MAX_INPUT_BYTES, NOISY_SHELL, REWRITE_FIELDS } from "./client-data.js";
import type { OutputFill } from "./fill-output.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/** Systems on which a socket's address begins with its length, and a path has at most 103 bytes. */
const WITH_LENGTH: readonly string[] = ["darwin", "freebsd", "openbsd", "netbsd"] satisfies NodeJS.Platform[];

/**
 * The client for Perl. It loads no module: `Socket` alone takes longer than all the rest. Only for a reply of more than about a kilobyte it tries
 * `Digest::SHA`, which is 100 times as fast as the SHA-256 below. What few calls need is behind the end of the program, and compiled when a call
 * needs it: to compile all of it takes Perl as long as to start. Classes such as \\w and long texts in the program are slow to compile, too.
 */
export function perlClient(data: ClientData, platform: NodeJS.Platform = process.platform): string {
  const { agent, folder, sockets, owner, group = -1, isStrict, events, unheard, otherLimit, silence, fill, shell = [] } = data;
  const rows = events.map(({ native, isGate, limit, denial, held }) => {
    const reply = denial ?? held;
    const said = reply === undefined ? "" : `,${text(reply.stdout)},${text(reply.stderr)},${reply.exitCode}`;
    return `${native}=>[${isGate ? 1 : 0},${limit},${denial === undefined ? 0 : 1},${held === undefined ? 0 : 1}${said}],`;
  });
  return `# Written by "hookline attach": asks the hub about an event of ${agent}. A changed file is refused.
my ($agent,$folder,$owner,$group,$strict,$silence)=(${text(agent)},${text(folder)},${owner},${group},${isStrict ? 1 : 0},${silence});
my @sockets=(${sockets.map(text).join(",")});
my @shell=(${shell === "login" ? "(getpwuid $<)[8]||'/bin/bash','-c'" : shell.map(text).join(",")});
my $lengths=${WITH_LENGTH.includes(platform) ? 1 : 0};
my %events=(
${rows.join("\n")}
);
my %unheard=(${unheard.map((native) => `${native}=>1,`).join("")});
my ($gate,$limit,$denies,$holds,$out,$err,$code)=(0,${otherLimit},0,0,'','',0);
${BODY}__END__
${Object.entries({ ...RARE, fill: fill === undefined ? "sub{''}" : filler(fill) })
  .map(([name, code]) => `#~${name}\n${code}\n`)
  .join("")}#~
`;
}

/** A text as Perl's single quotes write it. */
function text(value: string): string {
  return `'${value.replace(/[\\']/g, "\\$&")}'`;
}

/** The functions that few calls need, as Perl compiles them then. */
const RARE = {
  note: String.raw`# The hub collects the file. Without one it grows to two megabytes and no further.
sub{
 my $log="$folder/misses.log";
 return if (-s $log||0)>2000000;
 my @t=gmtime;
 open my $to,'>>',$log or return;
 syswrite $to,sprintf "%04d-%02d-%02dT%02d:%02d:%02dZ %s %s %s\n",$t[5]+1900,$t[4]+1,@t[3,2,1,0],$agent,$event,$why;
}`,
  is_closed: String.raw`# Whether a transform of outputs is closed: then the model must not see an output that the hub did not see. "hookline down" removes the file.
sub{
 my($state)=$folder=~m{(.*)/};
 my $gates="$state/gates.json";
 # A hub without its gates: what it guards is not known.
 return -e "$state/hub.json" unless -e $gates||-l $gates;
 my $known='';
 if(open my $from,'<',$gates){$known=<$from>}
 return 1 unless defined $known&&$known=~/\A\{"v":1,"instance":".*"gates":\[.*\]\}$/;
 return 0 unless $known=~/\{"event":"tool:result",([^}]*)/;
 return $1!~/"onFailure":"open"$/;
}`,
  is_quiet: String.raw`# Whether the agent's shell, started once more, prints nothing before the command.
sub{
 my %given=%ENV;
 %ENV=(PATH=>'/usr/bin:/bin:/usr/local/bin');
 for(qw(HOME BASH_ENV ZDOTDIR)){($ENV{$_})=$given{$_}=~/(.*)/s if defined $given{$_}&&$given{$_} ne ''}
 $ENV{SHLVL}=$1-1 if ($given{LEVEL}||'')=~/\A([0-9]+)\z/;
 open my $from,'-|',@shell,'echo hookline' or return 0;
 my $text='';
 while(length $text<99&&ready($from,0,5)){last unless sysread $from,$text,99,length $text}
 return $text eq "hookline\n";
}`,
};

const BODY = String.raw`
my $event=@ARGV?$ARGV[0]:'';
my ($why,$lost,$input,$hold,$parent,$begun)=('cut',0,'',0,getppid,time);
my ($said,$complained,$ending)=('','',0);
if(my $row=$events{$event}){
 ($gate,$limit,$denies,$holds,$said,$complained,$ending)=@$row;
 ($out,$err,$code)=($said,$complained,$ending) if $denies;
}
my $left=$limit;
$SIG{PIPE}='IGNORE';
umask 077;
# Cut short, the last word is the exit code: 2 blocks with all agents, if there is a text.
if($denies){$SIG{$_}=sub{$lost=1;finish()} for qw(HUP INT QUIT TERM)}

sub finish{
 $SIG{$_}='IGNORE' for qw(HUP INT QUIT TERM);
 if($why ne ''&&$hold){my $shaped=rare('fill',$input);$out=$shaped if $shaped ne ''}
 $lost=1 unless put(\*STDOUT,$out);
 # A decision of the hub that cannot be printed must not be lost either.
 if($lost&&$gate&&($strict||$why eq '')){$code=2;$err='${CUT_SHORT}' if $err eq ''}
 put(\*STDERR,$err);
 rare('note') if $why ne '';
 exit $code;
}
sub fail{$why=$_[0];finish()}
# The loader has read the whole file into $t.
sub rare{my $compiled=$t=~/\n#~$_[0]\n(.*?)\n#~/s&&eval $1;exit 9 unless $compiled;return $compiled->($_[1])}

sub put{
 my($to,$text)=@_;
 my $at=0;
 while($at<length $text){
  my $n=syswrite $to,$text,length($text)-$at,$at;
  if(defined $n){$at+=$n;next}
  return 0 unless passing();
  my $bits='';vec($bits,fileno $to,1)=1;select undef,$bits,undef,1;
 }
 return 1;
}
# EINTR, EAGAIN of Linux, EAGAIN of BSD.
sub passing{my $no=$!+0;return $no==4||$no==11||$no==35}

# Waits for a handle, and gives up after so many seconds of silence. The agent may have ended meanwhile: then no one waits for the answer.
sub ready{
 my($handle,$writes,$most)=@_;
 my $quiet=0;
 while($quiet<$most&&$left>0&&time-$begun<=$limit+1){
  exit 2 if $parent&&getppid!=$parent;
  my $bits='';vec($bits,fileno $handle,1)=1;
  my $slice=$left<.5?$left:.5;
  my($n,$rest)=$writes?select undef,$bits,undef,$slice:select $bits,undef,undef,$slice;
  if($n>0){$left-=$slice-$rest if defined $rest&&$rest<$slice;return 1}
  $left-=$slice;$quiet+=$slice;
 }
 return 0;
}

# Other users must not be able to write here, or to read what is secret. Of a managed hub, a group may do exactly what it needs to.
sub is_own{
 my($path,$kind,$mask,$shared)=@_;
 my @stat=lstat $path;
 return 0 unless @stat&&($stat[2]&0170000)==$kind&&$stat[4]==$owner;
 return $group<0||!$shared?!($stat[2]&$mask):$stat[5]==$group&&($stat[2]&07777)==$shared;
}

sub sha256{
 my $text=$_[0];
 return Digest::SHA::sha256_hex($text) if length $text>1200&&eval{require Digest::SHA;1};
 fail('size') if length $text>8192;
 my @k=unpack 'N*',pack 'H*','428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5d807aa9812835b01243185be550c7dc372be5d7480deb1fe9bdc06a7c19bf174e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca63511429296727b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa07019a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2';
 my @h=unpack 'N*',pack 'H*','6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19';
 my $bits=8*length $text;
 $text.="\x80";
 $text.="\0" x ((56-length($text)%64)%64);
 $text.=pack 'NN',0,$bits;
 my($x,$y,$t);
 # A word beside itself in 64 bits: to rotate it is to shift it. No sum here needs more than 63 bits, and each is cut once. The eight variables of a
 # round are the last four of two lists.
 for(my $at=0;$at<length $text;$at+=64){
  my @w=unpack 'N16',substr $text,$at,64;
  for(16..63){
   $x=$w[-15]*0x100000001;$y=$w[-2]*0x100000001;
   push @w,$w[-16]+$w[-7]+($x>>7^$x>>18^$w[-15]>>3)+($y>>17^$y>>19^$w[-2]>>10)&0xffffffff;
  }
  my @a=@h[3,2,1,0];
  my @e=@h[7,6,5,4];
  for(@k){
   $x=$e[-1]*0x100000001;$y=$a[-1]*0x100000001;
   $t=$e[-4]+($x>>6^$x>>11^$x>>25)+($e[-3]^$e[-1]&($e[-2]^$e[-3]))+$_+shift @w;
   push @e,$a[-4]+$t&0xffffffff;
   push @a,$t+($y>>2^$y>>13^$y>>22)+($a[-1]&$a[-2]|$a[-3]&($a[-1]|$a[-2]))&0xffffffff;
  }
  my $n=0;
  $h[$n]=$h[$n]+$_&0xffffffff,$n++ for @a[-1,-2,-3,-4],@e[-1,-2,-3,-4];
 }
 return unpack 'H*',pack 'N*',@h;
}

# Until the hub has answered, what is said is that the output is withheld.
if($holds&&rare('is_closed')){($out,$err,$code,$hold)=($said,$complained,$ending,1)}
if($event eq ''||$event=~tr/A-Za-z0-9_//c){$event='-';fail('event')}

while(1){
 ready(\*STDIN,0,$limit) or fail('time');
 my $n=length $input>${MAX_INPUT_BYTES}?sysread(STDIN,my $rest,65536):sysread STDIN,$input,262144,length $input;
 if(!defined $n){next if passing();fail('stdin')}
 last unless $n;
}

my $key='';
fail('key') unless is_own($folder,040000,022)&&is_own("$folder/key",0100000,077,0640)&&open my $from,'<',"$folder/key";
sysread $from,$key,9999;
$key=~/\A# ([-0-9A-Z_a-z]{16,512})\nheader = "Authorization: Bearer ([-0-9A-Z_a-z]{16,512})"\n(?:unix-socket = "((?:[^"\\\n]|\\.)+)"\n)?\z/ or fail('key');
my($seal,$token,$named)=($1,$2,defined $3?$3:'');
$named=~s/\\(.)/$1/g;
my($socket)=((grep{$_ eq $named}@sockets),@sockets);
my($place)=$socket=~m{(.*)/};
my $nonce='';
fail('nonce') unless open(RANDOM,'<','/dev/urandom')&&sysread(RANDOM,$nonce,16)==16;
$nonce=unpack 'H*',$nonce;

fail('connect') unless -S $socket;
fail('socket') unless is_own($place,040000,022)&&is_own($socket,0140000,022,0660);
socket my $hub,1,1,0 or fail('connect');
# F_SETFL, O_NONBLOCK: a hub that does not accept connections must not hold the agent.
fcntl $hub,4,$lengths?4:2048;
my $address=$lengths?pack 'CCa104',106,1,$socket:pack 'Sa108',1,$socket;
for(my $tries=0;!connect $hub,$address;$tries++){
 fail($tries<40?'connect':'time') unless passing()&&$tries<40;
 select undef,undef,undef,.05;
}
my $request="POST /api/agents/$agent/$event HTTP/1.0\r\nHost: hookline\r\nAuthorization: Bearer $token\r\nX-Hookline-Nonce: $nonce\r\nContent-Type: application/json\r\nContent-Length: ".length($input)."\r\n\r\n".$input;
for(my $at=0;$at<length $request;){
 ready($hub,1,$silence) or fail('time');
 my $n=syswrite $hub,$request,262144,$at;
 # The other side may have answered already.
 if(!defined $n){next if passing();last}
 $at+=$n;
}
# The hub has the event, in its order, and the agent does not wait for the answer. Another process does, and counts a miss.
if($unheard{$event}){
 my $other=fork;
 exit 0 if $other;
 if(defined $other){close STDIN;close STDOUT;close STDERR;$parent=0}
}
my $answer='';
while(1){
 ready($hub,0,$silence) or fail('time');
 my $n=sysread $hub,$answer,262144,length $answer;
 if(!defined $n){next if passing();fail('broken')}
 last unless $n;
 fail('size') if length $answer>${MAX_REPLY_BYTES}+65536;
}
my $start=index $answer,"\r\n\r\n";
fail('broken') unless $start>0&&$answer=~m{\AHTTP/1\.[01] ([0-9]{3})};
fail('status') if $1>=400;
my $body=substr $answer,$start+4;
fail('size') if length $body>${MAX_REPLY_BYTES};
$body=~/\A\n*\x1fhookline ([0-9a-f]{64}) /g or fail('answer');
my $mac=$1;
my $reply=substr $body,pos $body;
$reply=~/\A(0|[1-9][0-9]{0,2}) ([0-9]{1,8}) ([0-9]{1,8})\x1f/ or fail('answer');
my($exit,$first,$second,$head)=($1,$2,$3,$+[0]);
fail('answer') unless $exit<=255&&length $reply==$head+$first+$second+6&&substr($reply,$head+$first,1) eq "\x1f"&&substr($reply,-5) eq "\x1fend\n";
# Only the hub knows the seal, and this answer is to this question.
fail('seal') unless $mac eq sha256("$seal ".sha256("$seal $nonce $agent $event $reply"));
($why,$out,$err,$code)=('',substr($reply,$head,$first),substr($reply,$head+$first+1,$second),$exit);
($out,$err,$code)=('','${NOISY_SHELL}',2) if $gate&&@shell&&$code==0&&$out=~/"(?:${REWRITE_FIELDS.join("|")})":/&&!rare('is_quiet');
finish();
`;

/** Reads the call token by token: a pattern for all of it would exceed the limits of Perl's patterns. */
function filler({ before, behind, text: withheld, fixed, kindFields }: OutputFill): string {
  const rows = fixed.map(({ tool, reply }) => `${text(tool)}=>${text(reply)},`);
  return `my %fixed=(
${rows.join("\n")}
);
my ($before,$behind,$withheld)=(${text(before)},${text(behind)},${text(withheld)});
my $kinds=qr/\\A(?:${kindFields.join("|")})\\z/;
${FILL}`;
}

const FILL = String.raw`# The output as it came, with other texts.
sub{
 my $call=$_[0];
 my($depth,$key,$top,$tool,$new,$on)=(0,'','','','',0);
 my $fits=sub{$fixed{$tool=~/\Amcp__/?'mcp__*':$tool}};
 pos($call)=0;
 while(1){
  if($call=~/\G"/gc){
   my $from=pos($call)-1;
   while($call=~/\G[^"\\]+/gc||$call=~/\G\\./gcs){}
   $call=~/\G"/gc or return '';
   my $text=substr $call,$from,pos($call)-$from;
   my $word=substr $text,1,-1;
   if($call=~/\G(\s*:)/gc){
    $new.=$text.$1 if $on;
    $key=$word;
    $top=$word if $depth==1;
   }elsif($on){
    my $stays=$text eq '""'||$key=~$kinds&&$word=~/\A[a-z][a-z_]{0,31}\z/;
    $new.=$stays?$text:$withheld;
   }elsif($depth==1){
    $tool=$word if $top eq 'tool_name';
    return $before.$withheld.$behind if $top eq 'tool_response';
   }
  }elsif($call=~/\G([{\[])/gc){
   my $mark=$1;
   if(!$on&&$depth==1&&$top eq 'tool_response'){
    my $reply=$fits->();
    return $reply if defined $reply;
    $on=1;
   }
   $depth++;
   $new.=$mark if $on;
  }elsif($call=~/\G([}\]])/gc){
   $depth--;
   $key='';
   next unless $on;
   $new.=$1;
   return $before.$new.$behind if $depth==1;
  }elsif($call=~/\G([^"{}\[\]]+)/gc){
   my $plain=$1;
   next unless $on;
   # Without its numbers and flags.
   $plain=~s/-?[0-9][-+.0-9eE]*/1/g;
   $plain=~s/true/false/g;
   $new.=$plain;
  }else{last}
 }
 my $reply=$fits->();
 return defined $reply?$reply:'';
}`;
