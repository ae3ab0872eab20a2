//! `profile add | list | remove`.

use crate::args::{AddProfile, Global, Profile as ProfileArgs};
use crate::failure::{Exit, Failure};
use crate::print::{Paint, Screen, Table, Tint};
use crate::profile::{Profile, Profiles};
use crate::report::{self, Advice, Report};
use serde_json::{Map, Value as Json, json};

/// `profile …`.
pub(crate) fn profile(
    args: &ProfileArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let profiles = Profiles::load()?;
    match args {
        ProfileArgs::Add(args) => add(args, &profiles, global, screen),
        ProfileArgs::List => report::print(screen, &List(profiles)),
        ProfileArgs::Remove { name } => {
            profiles.remove(name)?;
            let done = Changed {
                word: "Removed",
                profile: Profile::new(name),
            };
            report::print(screen, &done)
        }
    }
}

fn add(
    args: &AddProfile,
    profiles: &Profiles,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    // A relative directory would be another one for a command that is started elsewhere.
    let absolute = |dir: &std::path::PathBuf| {
        std::path::absolute(dir).map_err(|e| Failure::usage(format!("{}: {e}", dir.display())))
    };
    let profile = Profile {
        name: args.name.clone(),
        data: global.data.as_ref().map(absolute).transpose()?,
        endpoint: global.endpoint.as_ref().map(ToString::to_string),
        aws: args.aws.clone(),
        region: args.region.clone(),
        read_only: args.read_only,
    };
    profiles.add(&profile)?;
    report::print(
        screen,
        &Changed {
            word: "Added",
            profile,
        },
    )
}

struct Changed {
    word: &'static str,
    profile: Profile,
}

impl Report for Changed {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let word = paint.paint(Tint::Good, self.word);
        let line = format!(
            "{word}    {}   {}",
            self.profile.name,
            self.profile.detail()
        );
        vec![line.trim_end().to_owned()]
    }
    fn members(&self) -> Map<String, Json> {
        Map::from_iter([(self.word.to_lowercase(), json!(self.profile.name))])
    }
    fn advice(&self) -> Vec<Advice> {
        if self.word != "Added" {
            return Vec::new();
        }
        let name = &self.profile.name;
        vec![Advice::Say(format!(
            "use it: bothways in follow follows bob --profile {name}"
        ))]
    }
}

struct List(Profiles);

impl Report for List {
    fn lines(&self, paint: Paint) -> Vec<String> {
        let mut table = Table::new()
            .column("profile")
            .column("place")
            .column("rule");
        for profile in self.0.all() {
            let rule = profile.read_only.then(|| "read-only".to_owned());
            table.row([Some(profile.name.clone()), Some(profile.detail()), rule]);
        }
        table.lines(0, paint)
    }
    fn members(&self) -> Map<String, Json> {
        let one = |profile: &Profile| {
            json!({
                "name": profile.name,
                "data": profile.data.as_ref().map(|dir| dir.display().to_string()),
                "endpoint": profile.endpoint,
                "aws": profile.aws,
                "region": profile.region,
                "read_only": profile.read_only,
            })
        };
        let all: Vec<Json> = self.0.all().map(one).collect();
        Map::from_iter([
            (
                "file".to_owned(),
                json!(self.0.path().display().to_string()),
            ),
            ("profiles".to_owned(), Json::Array(all)),
        ])
    }
    fn advice(&self) -> Vec<Advice> {
        vec![Advice::Say(format!(
            "they stand in {}",
            self.0.path().display()
        ))]
    }
}
